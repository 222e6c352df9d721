//! The constant pool of a class.

use std::collections::BTreeMap;

use super::{MAX_U16, TooLarge};

/// The constant pool of a class: each constant is there once, in order of first use.
#[derive(Clone, Debug)]
pub struct ConstantPool {
    indices: BTreeMap<Constant, u16>,
    bytes: Vec<u8>,
    /// How many indices are taken; 0 is reserved, and a long or double takes two.
    n_indices: usize,
    longest_text: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Constant {
    Utf8(Box<[u8]>),
    Int(i32),
    Long(i64),
    /// By its bits, as NaN does not equal itself.
    Float(u32),
    Double(u64),
    Class(u16),
    String(u16),
    Field(u16, u16),
    Method(u16, u16),
    InterfaceMethod(u16, u16),
    NameAndType(u16, u16),
}

impl ConstantPool {
    pub(super) fn new() -> Self {
        Self { indices: BTreeMap::new(), bytes: Vec::new(), n_indices: 1, longest_text: 0 }
    }

    /// A text, such as a name or a descriptor.
    pub fn utf8(&mut self, text: &str) -> u16 {
        self.add(Constant::Utf8(modified_utf8(text.chars().map(u32::from))))
    }

    /// A number for `ldc`.
    pub fn int(&mut self, value: i32) -> u16 {
        self.add(Constant::Int(value))
    }

    /// A number for `ldc2_w`.
    pub fn long(&mut self, value: i64) -> u16 {
        self.add(Constant::Long(value))
    }

    /// A floating-point number for `ldc`.
    pub fn float(&mut self, value: f32) -> u16 {
        self.add(Constant::Float(value.to_bits()))
    }

    /// A floating-point number for `ldc2_w`.
    pub fn double(&mut self, value: f64) -> u16 {
        self.add(Constant::Double(value.to_bits()))
    }

    /// A string for `ldc`.
    pub fn string(&mut self, text: &str) -> u16 {
        let text = self.utf8(text);
        self.add(Constant::String(text))
    }

    /// A class by its name, or an array type by its descriptor.
    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.add(Constant::Class(name))
    }

    /// A field.
    pub fn field(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, member) = self.member(class, name, descriptor);
        self.add(Constant::Field(class, member))
    }

    /// A method.
    pub fn method(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, member) = self.member(class, name, descriptor);
        self.add(Constant::Method(class, member))
    }

    /// A method of an interface.
    pub fn interface_method(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, member) = self.member(class, name, descriptor);
        self.add(Constant::InterfaceMethod(class, member))
    }

    fn member(&mut self, class: &str, name: &str, descriptor: &str) -> (u16, u16) {
        let class = self.class(class);
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        (class, self.add(Constant::NameAndType(name, descriptor)))
    }

    /// The index of a constant. Beyond the limit indices mean nothing; [`check`](Self::check)
    /// says so.
    fn add(&mut self, constant: Constant) -> u16 {
        if let Some(index) = self.indices.get(&constant) {
            return *index;
        }
        let index = u16::try_from(self.n_indices).unwrap_or(0);
        let takes_two = matches!(constant, Constant::Long(_) | Constant::Double(_));
        self.n_indices += if takes_two { 2 } else { 1 };
        self.encode(&constant);
        self.indices.insert(constant, index);
        index
    }

    fn encode(&mut self, constant: &Constant) {
        let out = &mut self.bytes;
        match constant {
            Constant::Utf8(text) => {
                self.longest_text = self.longest_text.max(text.len());
                out.push(1);
                out.extend((text.len() as u16).to_be_bytes());
                out.extend(text);
            }
            Constant::Int(value) => {
                out.push(3);
                out.extend(value.to_be_bytes());
            }
            Constant::Long(value) => {
                out.push(5);
                out.extend(value.to_be_bytes());
            }
            Constant::Float(bits) => {
                out.push(4);
                out.extend(bits.to_be_bytes());
            }
            Constant::Double(bits) => {
                out.push(6);
                out.extend(bits.to_be_bytes());
            }
            Constant::Class(name) => {
                out.push(7);
                out.extend(name.to_be_bytes());
            }
            Constant::String(text) => {
                out.push(8);
                out.extend(text.to_be_bytes());
            }
            Constant::Field(a, b)
            | Constant::Method(a, b)
            | Constant::InterfaceMethod(a, b)
            | Constant::NameAndType(a, b) => {
                out.push(match constant {
                    Constant::Field(..) => 9,
                    Constant::Method(..) => 10,
                    Constant::InterfaceMethod(..) => 11,
                    _ => 12,
                });
                out.extend(a.to_be_bytes());
                out.extend(b.to_be_bytes());
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), TooLarge> {
        TooLarge::check(self.longest_text, MAX_U16, || "the length of a name".to_owned())?;
        TooLarge::check(self.n_indices, MAX_U16, || "the number of constants".to_owned())
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend((self.n_indices as u16).to_be_bytes());
        out.extend(&self.bytes);
    }
}

/// Text as class files have it: 0 has two bytes, so that no byte is 0. No character here is
/// beyond the 16 bits of a Java `char`.
fn modified_utf8(chars: impl Iterator<Item = u32>) -> Box<[u8]> {
    let mut out = Vec::new();
    for c in chars {
        match c {
            0x01..=0x7f => out.push(c as u8),
            0 | 0x80..=0x7ff => out.extend([0xc0 | (c >> 6) as u8, 0x80 | (c & 0x3f) as u8]),
            _ => out.extend([
                0xe0 | (c >> 12) as u8 & 0xf,
                0x80 | (c >> 6 & 0x3f) as u8,
                0x80 | (c & 0x3f) as u8,
            ]),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_there_once() {
        let mut pool = ConstantPool::new();
        let first = pool.method("A", "f", "()V");
        let n_indices = pool.n_indices;
        assert_eq!(pool.method("A", "f", "()V"), first);
        assert_eq!(pool.n_indices, n_indices);
        assert_ne!(pool.field("A", "f", "()V"), first);
        assert_eq!(pool.n_indices, n_indices + 1);
    }

    #[test]
    fn a_long_takes_two_indices() {
        let mut pool = ConstantPool::new();
        assert_eq!((pool.long(1), pool.int(1), pool.int(2)), (1, 3, 4));
        assert_eq!((pool.double(1.0), pool.float(1.0), pool.int(3)), (5, 7, 8));
    }

    #[test]
    fn both_zeros_are_constants() {
        let mut pool = ConstantPool::new();
        assert_ne!(pool.float(0.0), pool.float(-0.0));
        assert_ne!(pool.double(0.0), pool.double(-0.0));
        assert_eq!(pool.double(f64::NAN), pool.double(f64::NAN));
    }

    #[test]
    fn zero_is_written_in_two_bytes() {
        let bytes = modified_utf8([0, 0x41, 0xff, 0x7fff].into_iter());
        assert_eq!(*bytes, [0xc0, 0x80, 0x41, 0xc3, 0xbf, 0xe7, 0xbf, 0xbf]);
    }

    #[test]
    fn too_much_is_said_and_not_written() {
        let mut pool = ConstantPool::new();
        (0..40_000).for_each(|i| {
            pool.long(i);
        });
        assert_eq!(pool.check().unwrap_err().actual, 80_001);
        let mut pool = ConstantPool::new();
        pool.utf8(&"x".repeat(70_000));
        assert_eq!(pool.check().unwrap_err().actual, 70_000);
    }
}

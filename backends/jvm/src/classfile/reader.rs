//! Reading class files.

use std::fmt::Write;

use thiserror::Error;

/// Why bytes are not a class file that can be listed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// They end too early.
    #[error("the class file ends in the middle of something, at byte {0}")]
    End(usize),
    /// They hold something that generated class files do not.
    #[error("{0}")]
    Unknown(String),
}

/// Bytes, and how many of them have been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn bytes(&mut self, n: usize) -> Result<&'a [u8], ReadError> {
        let end = self.at.checked_add(n).ok_or(ReadError::End(self.at))?;
        let bytes = self.bytes.get(self.at..end).ok_or(ReadError::End(self.at))?;
        self.at = end;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let at = self.at;
        self.bytes(N)?.try_into().map_err(|_| ReadError::End(at))
    }

    pub(super) fn u8(&mut self) -> Result<u8, ReadError> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, ReadError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(super) fn i16(&mut self) -> Result<i16, ReadError> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    pub(super) fn i32(&mut self) -> Result<i32, ReadError> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub(super) fn i64(&mut self) -> Result<i64, ReadError> {
        Ok(i64::from_be_bytes(self.array()?))
    }
}

/// Constants by index.
#[derive(Clone, Debug)]
pub(super) struct Pool(Vec<Entry>);

#[derive(Clone, Debug)]
enum Entry {
    Nothing,
    Text(String),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Class(u16),
    String(u16),
    Member(u16, u16),
    NameAndType(u16, u16),
}

impl Pool {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, ReadError> {
        let n = usize::from(reader.u16()?);
        let mut entries = vec![Entry::Nothing];
        while entries.len() < n {
            let tag = reader.u8()?;
            entries.push(match tag {
                1 => {
                    let len = reader.u16()?.into();
                    Entry::Text(readable(reader.bytes(len)?))
                }
                3 => Entry::Int(reader.i32()?),
                4 => Entry::Float(f32::from_bits(reader.i32()? as u32)),
                5 => Entry::Long(reader.i64()?),
                6 => Entry::Double(f64::from_bits(reader.i64()? as u64)),
                7 => Entry::Class(reader.u16()?),
                8 => Entry::String(reader.u16()?),
                9..=11 => Entry::Member(reader.u16()?, reader.u16()?),
                12 => Entry::NameAndType(reader.u16()?, reader.u16()?),
                _ => return Err(ReadError::Unknown(format!("there is a constant of kind {tag}"))),
            });
            if matches!(tag, 5 | 6) {
                entries.push(Entry::Nothing);
            }
        }
        Ok(Self(entries))
    }

    /// A constant in words.
    pub(super) fn text(&self, index: u16) -> String {
        match self.0.get(usize::from(index)) {
            Some(Entry::Text(text)) => text.clone(),
            Some(Entry::Int(value)) => value.to_string(),
            Some(Entry::Long(value)) => format!("{value}L"),
            Some(Entry::Float(value)) => format!("{value:?}f"),
            Some(Entry::Double(value)) => format!("{value:?}d"),
            Some(Entry::Class(name)) => self.name(*name).to_owned(),
            Some(Entry::String(text)) => format!("\"{}\"", self.name(*text)),
            Some(Entry::Member(class, member)) => {
                format!("{}.{}", self.class(*class), self.text(*member))
            }
            Some(Entry::NameAndType(name, descriptor)) => {
                format!("{} {}", self.name(*name), self.name(*descriptor))
            }
            Some(Entry::Nothing) | None => format!("#{index}"),
        }
    }

    /// A text, or nothing in its place.
    pub(super) fn name(&self, index: u16) -> &str {
        match self.0.get(usize::from(index)) {
            Some(Entry::Text(text)) => text,
            _ => "?",
        }
    }

    fn class(&self, index: u16) -> &str {
        match self.0.get(usize::from(index)) {
            Some(Entry::Class(name)) => self.name(*name),
            _ => "?",
        }
    }
}

/// Text with everything escaped that is not plain ASCII.
fn readable(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            0x20..0x7f => out.push(char::from(*byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out
}

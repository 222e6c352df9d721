//! Class files in words, for review.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::builder::Comment;
use super::reader::{Pool, ReadError, Reader};

/// What a class file holds: fields, methods, instructions with the constants they name, labels
/// where jumps lead, and the verifier's frames there.
///
/// # Errors
/// Bytes that are not a class file, or one with things in it that are not ours.
pub fn listing(bytes: &[u8]) -> Result<String, ReadError> {
    commented_listing(bytes, &[])
}

/// What a class file holds, as [`listing`] says it, with comments before instructions.
///
/// # Errors
/// Those of [`listing`].
pub fn commented_listing(bytes: &[u8], comments: &[Comment]) -> Result<String, ReadError> {
    let mut reader = Reader::new(bytes);
    if reader.i32()? as u32 != 0xcafe_babe {
        return Err(ReadError::Unknown("this is not a class file".to_owned()));
    }
    let (minor, major) = (reader.u16()?, reader.u16()?);
    let pool = Pool::read(&mut reader)?;
    let flags = reader.u16()?;
    let (this, _super) = (reader.u16()?, reader.u16()?);
    let mut name = pool.text(this);
    for _ in 0..reader.u16()? {
        name = format!("{name} implements {}", pool.text(reader.u16()?));
    }
    let mut out = format!("{}class {name}  // version {major}.{minor}\n", words(flags & !0x20));
    for _ in 0..reader.u16()? {
        let head = head(&mut reader, &pool)?;
        skip_attributes(&mut reader)?;
        let _ = writeln!(out, "  {head}");
    }
    for method in 0..reader.u16()?.into() {
        let mut by_place: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for comment in comments.iter().filter(|comment| comment.method == method) {
            by_place.entry(comment.at).or_default().push(&comment.text);
        }
        let head = head(&mut reader, &pool)?;
        let _ = writeln!(out, "\n  {head}");
        for _ in 0..reader.u16()? {
            let name = reader.u16()?;
            let len = reader.i32()? as usize;
            let content = reader.bytes(len)?;
            if pool.name(name) == "Code" {
                code(&mut Reader::new(content), &pool, &by_place, &mut out)?;
            }
        }
    }
    Ok(out)
}

fn head(reader: &mut Reader<'_>, pool: &Pool) -> Result<String, ReadError> {
    let flags = words(reader.u16()?);
    let (name, descriptor) = (reader.u16()?, reader.u16()?);
    Ok(format!("{flags}{} {}", pool.name(name), pool.name(descriptor)))
}

fn skip_attributes(reader: &mut Reader<'_>) -> Result<(), ReadError> {
    for _ in 0..reader.u16()? {
        reader.u16()?;
        let len = reader.i32()? as usize;
        reader.bytes(len)?;
    }
    Ok(())
}

fn words(flags: u16) -> String {
    let all = [
        (0x1, "public "),
        (0x2, "private "),
        (0x8, "static "),
        (0x10, "final "),
        (0x40, "volatile "),
        (0x200, "interface "),
        (0x400, "abstract "),
    ];
    all.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, word)| *word).collect()
}

fn code(
    reader: &mut Reader<'_>,
    pool: &Pool,
    comments: &BTreeMap<usize, Vec<&str>>,
    out: &mut String,
) -> Result<(), ReadError> {
    let (max_stack, max_locals) = (reader.u16()?, reader.u16()?);
    let len = reader.i32()? as usize;
    let bytes = reader.bytes(len)?;
    let n_handlers = reader.u16()?;
    reader.bytes(8 * usize::from(n_handlers))?;
    let mut frames = BTreeMap::new();
    for _ in 0..reader.u16()? {
        let name = reader.u16()?;
        let len = reader.i32()? as usize;
        let content = reader.bytes(len)?;
        if pool.name(name) == "StackMapTable" {
            frames = read_frames(&mut Reader::new(content), pool)?;
        }
    }
    let _ = writeln!(out, "    // stack {max_stack}, locals {max_locals}, bytes {len}");
    let mut reader = Reader::new(bytes);
    while !reader.is_at_end() {
        let pc = reader.at();
        for comment in comments.get(&pc).into_iter().flatten() {
            let _ = writeln!(out, "    // {comment}");
        }
        if let Some(frame) = frames.get(&pc) {
            let _ = writeln!(out, "   L{pc}:  // {frame}");
        }
        let text = instruction(&mut reader, pool)?;
        let _ = writeln!(out, "    {pc:5}  {text}");
    }
    Ok(())
}

fn read_frames(reader: &mut Reader<'_>, pool: &Pool) -> Result<BTreeMap<usize, String>, ReadError> {
    let mut frames = BTreeMap::new();
    let mut next = 0;
    for _ in 0..reader.u16()? {
        let tag = reader.u8()?;
        let delta = match tag {
            0..64 => u16::from(tag),
            64..128 => u16::from(tag - 64),
            _ => reader.u16()?,
        };
        let text = match tag {
            0..64 | 251 => "same".to_owned(),
            64..128 | 247 => format!("same, stack {}", types(reader, pool, 1)?),
            252..255 => format!("and {}", types(reader, pool, (tag - 251).into())?),
            255 => {
                let n_locals = reader.u16()?;
                let locals = types(reader, pool, n_locals)?;
                let n_stack = reader.u16()?;
                format!("locals {locals}, stack {}", types(reader, pool, n_stack)?)
            }
            _ => return Err(ReadError::Unknown(format!("there is a frame of kind {tag}"))),
        };
        let pc = next + usize::from(delta);
        frames.insert(pc, text);
        next = pc + 1;
    }
    Ok(frames)
}

fn types(reader: &mut Reader<'_>, pool: &Pool, n: u16) -> Result<String, ReadError> {
    let mut all = Vec::new();
    for _ in 0..n {
        all.push(match reader.u8()? {
            0 => "top".to_owned(),
            1 => "int".to_owned(),
            2 => "float".to_owned(),
            3 => "double".to_owned(),
            4 => "long".to_owned(),
            7 => pool.text(reader.u16()?),
            tag => return Err(ReadError::Unknown(format!("there is a type of kind {tag}"))),
        });
    }
    Ok(format!("[{}]", all.join(", ")))
}

fn instruction(reader: &mut Reader<'_>, pool: &Pool) -> Result<String, ReadError> {
    let pc = reader.at();
    let target = |distance: i32| format!("L{}", pc as i64 + i64::from(distance));
    let code = reader.u8()?;
    let unknown = || ReadError::Unknown(format!("there is no instruction {code:#04x}"));
    let name = *MNEMONICS.get(usize::from(code)).ok_or_else(unknown)?;
    let operands = match code {
        0x10 => format!("{}", reader.u8()? as i8),
        0x11 => format!("{}", reader.i16()?),
        0x12 => pool.text(reader.u8()?.into()),
        0x13 | 0x14 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 => pool.text(reader.u16()?),
        0xb9 => {
            let method = pool.text(reader.u16()?);
            // How many slots the arguments take is known from the method; the last byte is 0.
            reader.bytes(2)?;
            method
        }
        0x15..=0x19 | 0x36..=0x3a => reader.u8()?.to_string(),
        0x84 => format!("{} {}", reader.u8()?, reader.u8()? as i8),
        0x99..=0xa8 | 0xc6 | 0xc7 => target(reader.i16()?.into()),
        0xc8 => target(reader.i32()?),
        0xbc => array_elem(reader.u8()?).to_owned(),
        0xaa => {
            reader.bytes(3 - pc % 4)?;
            let default = target(reader.i32()?);
            let (low, high) = (reader.i32()?, reader.i32()?);
            let mut text = String::from("{");
            for key in low..=high {
                let _ = write!(text, " {key}: {},", target(reader.i32()?));
            }
            text + " default: " + &default + " }"
        }
        0xab => {
            reader.bytes(3 - pc % 4)?;
            let default = target(reader.i32()?);
            let mut text = String::from("{");
            for _ in 0..reader.i32()? {
                let _ = write!(text, " {}: {},", reader.i32()?, target(reader.i32()?));
            }
            text + " default: " + &default + " }"
        }
        0xc4 => {
            let code = reader.u8()?;
            let name = *MNEMONICS.get(usize::from(code)).ok_or_else(unknown)?;
            let local = reader.u16()?;
            match code {
                0x84 => format!("{name} {local} {}", reader.i16()?),
                _ => format!("{name} {local}"),
            }
        }
        0xa9 | 0xba | 0xc5 | 0xc9 => return Err(unknown()),
        _ => return Ok(name.to_owned()),
    };
    Ok(format!("{name:<13} {operands}"))
}

fn array_elem(code: u8) -> &'static str {
    match code {
        4 => "boolean",
        5 => "char",
        6 => "float",
        7 => "double",
        8 => "byte",
        9 => "short",
        10 => "int",
        11 => "long",
        _ => "?",
    }
}

/// The names of all instructions, by code.
#[rustfmt::skip]
const MNEMONICS: [&str; 202] = [
    "nop", "aconst_null", "iconst_m1", "iconst_0", "iconst_1", "iconst_2", "iconst_3", "iconst_4", "iconst_5",
    "lconst_0", "lconst_1", "fconst_0", "fconst_1", "fconst_2", "dconst_0", "dconst_1", "bipush", "sipush", "ldc",
    "ldc_w", "ldc2_w", "iload", "lload", "fload", "dload", "aload", "iload_0", "iload_1", "iload_2", "iload_3",
    "lload_0", "lload_1", "lload_2", "lload_3", "fload_0", "fload_1", "fload_2", "fload_3", "dload_0", "dload_1",
    "dload_2", "dload_3", "aload_0", "aload_1", "aload_2", "aload_3", "iaload", "laload", "faload", "daload",
    "aaload", "baload", "caload", "saload", "istore", "lstore", "fstore", "dstore", "astore", "istore_0", "istore_1",
    "istore_2", "istore_3", "lstore_0", "lstore_1", "lstore_2", "lstore_3", "fstore_0", "fstore_1", "fstore_2",
    "fstore_3", "dstore_0", "dstore_1", "dstore_2", "dstore_3", "astore_0", "astore_1", "astore_2", "astore_3",
    "iastore", "lastore", "fastore", "dastore", "aastore", "bastore", "castore", "sastore", "pop", "pop2", "dup",
    "dup_x1", "dup_x2", "dup2", "dup2_x1", "dup2_x2", "swap", "iadd", "ladd", "fadd", "dadd", "isub", "lsub", "fsub",
    "dsub", "imul", "lmul", "fmul", "dmul", "idiv", "ldiv", "fdiv", "ddiv", "irem", "lrem", "frem", "drem", "ineg",
    "lneg", "fneg", "dneg", "ishl", "lshl", "ishr", "lshr", "iushr", "lushr", "iand", "land", "ior", "lor", "ixor",
    "lxor", "iinc", "i2l", "i2f", "i2d", "l2i", "l2f", "l2d", "f2i", "f2l", "f2d", "d2i", "d2l", "d2f", "i2b", "i2c",
    "i2s", "lcmp", "fcmpl", "fcmpg", "dcmpl", "dcmpg", "ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle", "if_icmpeq",
    "if_icmpne", "if_icmplt", "if_icmpge", "if_icmpgt", "if_icmple", "if_acmpeq", "if_acmpne", "goto", "jsr", "ret",
    "tableswitch", "lookupswitch", "ireturn", "lreturn", "freturn", "dreturn", "areturn", "return", "getstatic",
    "putstatic", "getfield", "putfield", "invokevirtual", "invokespecial", "invokestatic", "invokeinterface",
    "invokedynamic", "new", "newarray", "anewarray", "arraylength", "athrow", "checkcast", "instanceof",
    "monitorenter", "monitorexit", "wide", "multianewarray", "ifnull", "ifnonnull", "goto_w", "jsr_w",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_at_their_codes() {
        for (code, name) in [
            (0x11, "sipush"),
            (0x2e, "iaload"),
            (0x60, "iadd"),
            (0x84, "iinc"),
            (0x94, "lcmp"),
            (0x98, "dcmpg"),
            (0xaf, "dreturn"),
            (0xa7, "goto"),
            (0xb8, "invokestatic"),
            (0xc8, "goto_w"),
        ] {
            assert_eq!(MNEMONICS[code], name);
        }
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(listing(b"").is_err());
        assert!(listing(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 9, 99]).is_err());
    }
}

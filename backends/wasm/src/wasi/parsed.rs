//! What is in the binary form of a module.

use std::collections::BTreeMap;

use wasm_encoder::ValType;
use wasmparser::{
    ElementItems, ElementKind, Export, ExternalKind, FunctionBody, KnownCustom, Name, Parser,
    Payload, TypeRef,
};

use super::WasiError;
use super::added::Added;
use super::host::Host;
use crate::helpers::Helper;
use crate::module::{HOST_CRC, HOST_MODULE};
use crate::types::Types;

/// A module in parts. Functions have the numbers that they get in the new module: what the host has
/// comes first, the functions of the old one follow in their order, and what is added comes last.
pub(super) struct Parsed<'a> {
    pub(super) bytes: &'a [u8],
    /// What runs the new module.
    pub(super) host: Host,
    /// Whether it asks the host for the checksum: that has to become a function of the module.
    imports_crc: bool,
    pub(super) types: Types,
    /// The types of its functions.
    pub(super) functions: Vec<u32>,
    pub(super) exports: Vec<Export<'a>>,
    pub(super) start: Option<u32>,
    pub(super) elements: Vec<Element<'a>>,
    pub(super) bodies: Vec<FunctionBody<'a>>,
    /// Sections that stay as they are, by their numbers.
    pub(super) sections: BTreeMap<u8, &'a [u8]>,
    pub(super) names: Names<'a>,
}

/// Functions that a table begins with.
pub(super) struct Element<'a> {
    pub(super) table: Option<u32>,
    /// The constant expression that says where they go.
    pub(super) offset: &'a [u8],
    pub(super) functions: Vec<u32>,
}

/// What readers of the text see instead of numbers.
#[derive(Default)]
pub(super) struct Names<'a> {
    pub(super) functions: BTreeMap<u32, &'a str>,
    pub(super) locals: BTreeMap<u32, Vec<(u32, &'a str)>>,
    pub(super) globals: Vec<(u32, &'a str)>,
}

impl From<wasmparser::BinaryReaderError> for WasiError {
    fn from(error: wasmparser::BinaryReaderError) -> Self {
        Self::Module(error.to_string())
    }
}

fn unknown(what: &str) -> WasiError {
    WasiError::Module(format!("{what} is not what this backend makes"))
}

impl<'a> Parsed<'a> {
    pub(super) fn new(bytes: &'a [u8], host: Host) -> Result<Self, WasiError> {
        let mut parsed = Self {
            bytes,
            host,
            imports_crc: false,
            types: Types::default(),
            functions: Vec::new(),
            exports: Vec::new(),
            start: None,
            elements: Vec::new(),
            bodies: Vec::new(),
            sections: BTreeMap::new(),
            names: Names::default(),
        };
        for payload in Parser::new(0).parse_all(bytes) {
            parsed.read(payload?)?;
        }
        Ok(parsed)
    }

    fn read(&mut self, payload: Payload<'a>) -> Result<(), WasiError> {
        match payload {
            Payload::Version { .. } | Payload::CodeSectionStart { .. } | Payload::End(_) => {}
            Payload::TypeSection(types) => {
                for ty in types.into_iter_err_on_gc_types() {
                    let ty = ty?;
                    let all = |types: &[wasmparser::ValType]| {
                        types.iter().map(|ty| val_type(*ty)).collect::<Result<_, _>>()
                    };
                    self.types.index(all(ty.params())?, all(ty.results())?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    let is_crc = (import.module, import.name) == (HOST_MODULE, HOST_CRC)
                        && matches!(import.ty, TypeRef::Func(_));
                    if !is_crc || self.imports_crc {
                        return Err(unknown(&format!("the import {}", import.name)));
                    }
                    self.imports_crc = true;
                }
            }
            Payload::FunctionSection(functions) => {
                self.functions = functions.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::ExportSection(exports) => {
                self.exports = exports.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::StartSection { func, .. } => self.start = Some(self.renumbered(func)),
            Payload::ElementSection(elements) => {
                for element in elements {
                    let element = self.element(element?)?;
                    self.elements.push(element);
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    for name in names {
                        self.read_names(name?)?;
                    }
                }
            }
            other => {
                let (id, range) = other.as_section().ok_or_else(|| unknown("a section"))?;
                self.sections.insert(id, &self.bytes[range]);
            }
        }
        Ok(())
    }

    fn element(&self, element: wasmparser::Element<'a>) -> Result<Element<'a>, WasiError> {
        match (element.kind, element.items) {
            (
                ElementKind::Active { table_index: table, offset_expr },
                ElementItems::Functions(functions),
            ) => {
                let functions = functions.into_iter().map(|at| at.map(|at| self.renumbered(at)));
                let functions = functions.collect::<Result<_, _>>()?;
                let mut offset = offset_expr.get_binary_reader();
                let offset = offset.read_bytes(offset.bytes_remaining())?;
                Ok(Element { table, offset, functions })
            }
            _ => Err(unknown("an element segment")),
        }
    }

    fn read_names(&mut self, name: Name<'a>) -> Result<(), WasiError> {
        match name {
            Name::Function(names) => {
                for naming in names {
                    let naming = naming?;
                    self.names.functions.insert(self.renumbered(naming.index), naming.name);
                }
            }
            Name::Local(functions) => {
                for function in functions {
                    let function = function?;
                    let locals =
                        function.names.into_iter().map(|it| it.map(|it| (it.index, it.name)));
                    let locals = locals.collect::<Result<_, _>>()?;
                    self.names.locals.insert(self.renumbered(function.index), locals);
                }
            }
            Name::Global(names) => {
                let names = names.into_iter().map(|it| it.map(|it| (it.index, it.name)));
                self.names.globals = names.collect::<Result<_, _>>()?;
            }
            // Names change nothing.
            _ => {}
        }
        Ok(())
    }

    /// The new number of a function. The import that it may have had comes behind all others.
    pub(super) fn renumbered(&self, old: u32) -> u32 {
        match (self.imports_crc, old) {
            (true, 0) => self.n_functions(),
            (true, defined) => defined - 1 + self.host.n_imports(),
            (false, defined) => defined + self.host.n_imports(),
        }
    }

    /// How many functions there are before what is added, new imports included.
    pub(super) fn n_functions(&self) -> u32 {
        self.functions.len() as u32 + self.host.n_imports()
    }

    /// The function that stands for the old import.
    pub(super) fn missing_crc(&self) -> Vec<Added> {
        let helper = Helper::CrcAdd;
        let (params, result) = helper.signature();
        let added = || Added {
            name: helper.name(),
            params,
            results: vec![result],
            // It counts bits.
            locals: vec![ValType::I32],
            code: helper.body(None),
            export: None,
        };
        if self.imports_crc { vec![added()] } else { Vec::new() }
    }

    /// The exported function of that name.
    pub(super) fn function(&self, name: &str) -> Option<u32> {
        let is_it = |it: &&Export<'_>| it.name == name && it.kind == ExternalKind::Func;
        self.exports.iter().find(is_it).map(|it| self.renumbered(it.index))
    }
}

fn val_type(ty: wasmparser::ValType) -> Result<ValType, WasiError> {
    match ty {
        wasmparser::ValType::I32 => Ok(ValType::I32),
        wasmparser::ValType::I64 => Ok(ValType::I64),
        wasmparser::ValType::F32 => Ok(ValType::F32),
        wasmparser::ValType::F64 => Ok(ValType::F64),
        wasmparser::ValType::V128 => Ok(ValType::V128),
        wasmparser::ValType::Ref(_) => Err(unknown("a reference type")),
    }
}

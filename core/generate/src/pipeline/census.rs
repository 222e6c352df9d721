//! What generated functions are made of: policies, operators and values.

use std::collections::BTreeMap;

use super::Leaf;
use crate::observe::Observation;
use crate::policy::{Policy, Theme};
use crate::shape::Counts;
use pathsmith_symlang::lang::{Expr, FloatTy, Notation, Scalar, ScalarTy};

/// Counts over many functions. Everything is counted for all of them, and once more for those of
/// each theme and of each policy.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// All functions.
    pub all: Counted,
    /// The functions of each theme.
    pub by_theme: BTreeMap<Theme, Counted>,
    /// The functions that were made by each policy.
    pub by_policy: BTreeMap<Policy, Counted>,
    /// The functions that were made of each template.
    pub by_template: BTreeMap<String, Counted>,
    /// How often no defined instance of a template was found.
    pub unsolved_templates: BTreeMap<String, u64>,
    /// The steps of first paths.
    pub steps: Counts,
    /// How often first paths visit the block that they visit most.
    pub visits: Counts,
    /// The values that the variables of a function hold.
    pub cells: Counts,
    /// The functions of which each kind of thing is observed.
    pub by_observation: BTreeMap<Observation, Counted>,
}

/// Counts over some of the functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// How many functions.
    pub n_functions: u64,
    /// How many blocks they have.
    pub n_blocks: u64,
    /// How many steps their first paths have.
    pub n_steps: u64,
    /// How many realizations they have.
    pub n_realizations: u64,
    /// How many terminators have encoded decisions.
    pub n_encoded: u64,
    /// Operators, by their name in the language.
    pub operators: BTreeMap<&'static str, u64>,
    /// Constants in expressions, by what they are like.
    pub constants: BTreeMap<ValueKind, u64>,
    /// Inputs of realizations, by what they are like.
    pub inputs: BTreeMap<ValueKind, u64>,
}

/// What a value is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueKind {
    /// 0
    Zero,
    /// 1 or -1.
    One,
    /// Up to 20 otherwise.
    Small,
    /// Up to 8 from the least or the greatest value of its type.
    NearLimit,
    /// Up to 4 from a power of two.
    NearPower,
    /// Anything else.
    Other,
}

impl ValueKind {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Zero, Self::One, Self::Small, Self::NearLimit, Self::NearPower, Self::Other];

    /// What a value of a type is like.
    pub fn of(value: Scalar) -> Self {
        let ty = match value.ty() {
            ScalarTy::Int(ty) => ty,
            ScalarTy::Float(ty) => return Self::of_float(ty, value.word()),
        };
        let (value, min, max) =
            (ty.to_wide(value.word()), ty.to_wide(ty.min()), ty.to_wide(ty.max()));
        let size = value.unsigned_abs();
        let near_power = || {
            let below = 1_u128 << size.ilog2();
            size - below <= 4 || 2 * below - size <= 4
        };
        match size {
            0 => Self::Zero,
            1 => Self::One,
            2..=20 => Self::Small,
            _ if max - value <= 8 || (min < 0 && value - min <= 8) => Self::NearLimit,
            _ if near_power() => Self::NearPower,
            _ => Self::Other,
        }
    }

    /// What a floating-point number is like: the limits are those of normal numbers, infinities
    /// and NaN beyond them.
    fn of_float(ty: FloatTy, word: i64) -> Self {
        let size = ty.value(word).abs();
        let (least, most) = match ty {
            FloatTy::F32 => (f32::MIN_POSITIVE.into(), f32::MAX.into()),
            FloatTy::F64 => (f64::MIN_POSITIVE, f64::MAX),
        };
        let is_whole = size.fract() == 0.0;
        match size {
            _ if size == 0.0 => Self::Zero,
            _ if size == 1.0 => Self::One,
            _ if is_whole && size <= 20.0 => Self::Small,
            _ if !(least * 16.0..=most / 16.0).contains(&size) => Self::NearLimit,
            _ if is_near_power(size) => Self::NearPower,
            _ => Self::Other,
        }
    }

    /// Its name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zero => "0",
            Self::One => "±1",
            Self::Small => "small",
            Self::NearLimit => "near a limit",
            Self::NearPower => "near 2^n",
            Self::Other => "other",
        }
    }
}

/// Whether a normal number is up to 4 from a power of two.
fn is_near_power(size: f64) -> bool {
    let below = f64::from_bits(size.to_bits() & f64::INFINITY.to_bits());
    size - below <= 4.0 || 2.0 * below - size <= 4.0
}

impl Census {
    /// Counts a function.
    pub fn add(&mut self, leaf: &Leaf) {
        self.all.add(leaf);
        if let Some(theme) = leaf.theme {
            self.by_theme.entry(theme).or_default().add(leaf);
        }
        self.by_observation.entry(leaf.observation).or_default().add(leaf);
        for policy in &leaf.policies {
            self.by_policy.entry(*policy).or_default().add(leaf);
        }
        let mut templates: Vec<&String> = leaf.templates.iter().collect();
        templates.sort_unstable();
        templates.dedup();
        for template in templates {
            self.by_template.entry(template.clone()).or_default().add(leaf);
        }
        for template in &leaf.unsolved_templates {
            *self.unsolved_templates.entry(template.clone()).or_default() += 1;
        }
        self.add_sizes(leaf);
    }

    fn add_sizes(&mut self, leaf: &Leaf) {
        let function = &leaf.program.functions[0];
        self.cells.add(function.vars.iter().map(|var| var.ty.n_cells() as u64).sum());
        let Some(first) = function.realizations.first() else { return };
        let mut visits = vec![0_u64; function.blocks.len()];
        for block in first.path.blocks() {
            visits[block.index()] += 1;
        }
        self.steps.add(first.path.len() as u64);
        self.visits.add(visits.into_iter().max().unwrap_or(0));
    }
}

impl Counted {
    fn add(&mut self, leaf: &Leaf) {
        let function = &leaf.program.functions[0];
        self.n_functions += 1;
        self.n_blocks += function.blocks.len() as u64;
        self.n_steps += function.realizations.first().map_or(0, |first| first.path.len() as u64);
        self.n_realizations += function.realizations.len() as u64;
        self.n_encoded += leaf.n_encoded as u64;
        function.for_each_expr(|_, expr| match expr {
            Expr::Binary(op, ..) => self.operator(word(op.notation())),
            Expr::Unary(op, _) => self.operator(word(op.notation())),
            Expr::Select(..) => self.operator("select"),
            Expr::Cast(..) => self.operator("cast"),
            Expr::Const(constant) => {
                let kind = ValueKind::of(constant.scalar());
                *self.constants.entry(kind).or_default() += 1;
            }
            Expr::Hole(..) | Expr::Read(_) | Expr::Call(..) => {}
        });
        for realization in &function.realizations {
            for arg in &realization.args {
                *self.inputs.entry(ValueKind::of(*arg)).or_default() += 1;
            }
        }
    }

    fn operator(&mut self, name: &'static str) {
        *self.operators.entry(name).or_default() += 1;
    }
}

/// What an operator is called; the two that are written `-` are told apart.
fn word(spelling: Notation) -> &'static str {
    match spelling {
        Notation::Prefix("-") => "-x",
        Notation::Prefix(word) | Notation::Infix(word, _) | Notation::Named(word) => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GenConfig;
    use crate::pipeline::generate_leaf;
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::dialect::Dialect;
    use pathsmith_symlang::lang::IntTy;

    #[test]
    fn values_are_told_apart() {
        let kind_of = |ty: IntTy, value| ValueKind::of(Scalar::new(ty, value));
        let kind = |value| kind_of(IntTy::I32, value);
        assert_eq!(kind(0), ValueKind::Zero);
        assert_eq!(kind(-1), ValueKind::One);
        assert_eq!(kind(i32::MIN.into()), ValueKind::NearLimit);
        assert_eq!(kind(i64::from(i32::MAX) - 8), ValueKind::NearLimit);
        assert_eq!(kind(-1025), ValueKind::NearPower);
        assert_eq!(kind(1020), ValueKind::NearPower);
        assert_eq!(kind(1000), ValueKind::Other);
        assert_eq!(kind_of(IntTy::U64, -1), ValueKind::NearLimit);
        assert_eq!(kind_of(IntTy::U32, 3), ValueKind::Small);
    }

    #[test]
    fn every_policy_is_drawn_and_counted() {
        let mut census = Census::default();
        let mut config = GenConfig::default();
        // Functions that are templates and nothing else have no policies.
        config.template.share = 0.0;
        for number in 0..200 {
            let leaf = generate_leaf(&config, Dialect::C, Seed::new(1), number);
            if let Ok(leaf) = leaf {
                census.add(&leaf);
            }
        }
        for policy in Policy::ALL {
            let n = census.by_policy.get(&policy).map_or(0, |counted| counted.n_functions);
            assert!(n > 0 && n <= census.all.n_functions, "{}", policy.name());
        }
        for kind in Observation::ALL {
            let n = census.by_observation.get(&kind).map_or(0, |counted| counted.n_functions);
            assert!(n > 5, "{}: {n}", kind.name());
        }
        for theme in Theme::ALL {
            let n = census.by_theme.get(&theme).map_or(0, |counted| counted.n_functions);
            assert!((50..110).contains(&n), "{}: {n}", theme.name());
        }
    }
}

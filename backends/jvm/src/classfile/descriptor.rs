//! Descriptors: types as text.

/// The types of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor<'a> {
    /// The parameters' descriptors.
    pub params: Vec<&'a str>,
    /// What it returns, if anything.
    pub ret: Option<&'a str>,
}

impl<'a> Descriptor<'a> {
    /// Takes a method's descriptor apart, such as `(I[J)V`.
    pub fn new(text: &'a str) -> Self {
        let (params, ret) = text.trim_start_matches('(').split_once(')').unwrap_or((text, "V"));
        let mut rest = params;
        let mut params = Vec::new();
        while !rest.is_empty() {
            let (first, others) = rest.split_at(first_len(rest));
            params.push(first);
            rest = others;
        }
        Self { params, ret: (ret != "V").then_some(ret) }
    }
}

/// How long the first type in a list of types is.
fn first_len(text: &str) -> usize {
    let n_dimensions = text.len() - text.trim_start_matches('[').len();
    match text[n_dimensions..].chars().next() {
        Some('L') => text.find(';').map_or(text.len(), |end| end + 1),
        Some(_) => n_dimensions + 1,
        None => text.len(),
    }
}

/// What the constant pool calls the class of a reference type: `Ljava/lang/String;` is
/// `java/lang/String` there, and `[I` is itself.
pub fn class_of(descriptor: &str) -> &str {
    descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(descriptor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_come_apart() {
        let descriptor = Descriptor::new("(I[J[[Ljava/lang/String;Ljava/lang/Object;J)V");
        let params = ["I", "[J", "[[Ljava/lang/String;", "Ljava/lang/Object;", "J"];
        assert_eq!(descriptor.params, params);
        assert_eq!(descriptor.ret, None);
        assert_eq!(Descriptor::new("()J"), Descriptor { params: vec![], ret: Some("J") });
    }
}

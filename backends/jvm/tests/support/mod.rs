//! Programs on a real JVM.

#![allow(dead_code, reason = "not every test file uses all of it")]

#[path = "../../../../tests/support/tools.rs"]
mod tools;

use std::path::Path;
use std::process::Command;

use pathsmith_backend::{Backend, LowerError};
use pathsmith_backend_jvm::classfile::{ClassBuilder, CodeBuilder, Cond, Flags, Op};
use pathsmith_backend_jvm::{JvmBackend, JvmClass, JvmClasses, JvmOptions};
use pathsmith_symlang::lang::Program;

/// Programs that are run together, because starting a JVM takes its time, and what runs them: a
/// class `Main` that checks every realization and prints those that disagree.
#[derive(Debug, Default)]
pub(crate) struct Suite {
    pub(crate) classes: Vec<JvmClass>,
    testers: Vec<String>,
    pub(crate) n_realizations: usize,
}

impl Suite {
    /// Adds a program under a name of its own, and gives what it was lowered to.
    pub(crate) fn add(
        &mut self,
        program: &Program,
        options: &JvmOptions,
    ) -> Result<JvmClasses, LowerError> {
        let name = format!("P{}", self.testers.len());
        let lowered = JvmBackend.lower(program, &JvmOptions { name, ..options.clone() })?;
        self.classes.extend(lowered.classes.iter().cloned());
        self.add_tester(program, &lowered);
        Ok(lowered)
    }

    fn add_tester(&mut self, program: &Program, lowered: &JvmClasses) {
        let name = format!("T{}", self.testers.len());
        let main = &lowered.classes[0].name;
        let mut class = ClassBuilder::new(name.as_str(), Flags::PUBLIC);
        let mut methods = Vec::new();
        for (f, function) in program.functions.iter().enumerate() {
            for (r, realization) in function.realizations.iter().enumerate() {
                let method = format!("t{f}_{r}");
                let expected = realization.ending.returned().expect("it returns");
                let (mut code, params) = class.static_code("(I)V");
                let actual = code.add_local("[J");
                code.push_int(2);
                code.new_array("J");
                code.store(actual);
                code.push_int(f as i32);
                code.push_int(realization.args.len() as i32);
                code.new_array("J");
                for (i, arg) in realization.args.iter().enumerate() {
                    code.dup();
                    code.push_int(i as i32);
                    code.push_long(arg.word());
                    code.op(Op::Lastore);
                }
                code.push_long(expected.word());
                code.push_long(realization.leaving.map_or(-1, i64::from));
                code.load(params[0]);
                code.load(actual);
                code.invoke_static(main, "check", "(I[JJJI[J)I");
                let (call, ok) = (code.add_local("I"), code.add_label());
                code.store(call);
                code.load(call);
                code.push_int(-1);
                code.branch_int(Cond::Eq, ok);
                let args: Vec<String> = realization.args.iter().map(ToString::to_string).collect();
                let text = format!(
                    "{main}.{} [{}] gives, not {expected}, in call ",
                    function.name,
                    args.join(", ")
                );
                print_string(&mut code, &text);
                out(&mut code);
                code.load(call);
                code.invoke_virtual(STREAM, "print", "(I)V");
                print_string(&mut code, ": ");
                out(&mut code);
                code.load(actual);
                code.push_int(0);
                code.op(Op::Laload);
                code.invoke_virtual(STREAM, "println", "(J)V");
                code.place(ok);
                code.op(Op::Return);
                let code = code.finish(&method).expect("it is small");
                class.method(Flags::PUBLIC | Flags::STATIC, &method, "(I)V", code);
                methods.push(method);
            }
        }
        self.n_realizations += methods.len();
        let (mut code, params) = class.static_code("(I)V");
        for method in methods {
            code.load(params[0]);
            code.invoke_static(&name, &method, "(I)V");
        }
        code.op(Op::Return);
        let code = code.finish("run").expect("it is small");
        class.method(Flags::PUBLIC | Flags::STATIC, "run", "(I)V", code);
        let bytes = class.finish().expect("it is small");
        self.classes.push(JvmClass { name: name.clone(), bytes, comments: Vec::new() });
        self.testers.push(name);
    }

    /// Runs everything, each realization `times` times, and gives what was printed: nothing but
    /// `done` if all is well.
    pub(crate) fn run(&self, flags: &[&str], times: i32) -> String {
        let folder = tempfile::tempdir().expect("there is a place for temporary files");
        let mut class = ClassBuilder::new("Main", Flags::PUBLIC);
        let (mut code, _) = class.static_code("([Ljava/lang/String;)V");
        for tester in &self.testers {
            code.push_int(times);
            code.invoke_static(tester, "run", "(I)V");
        }
        print_string(&mut code, "done");
        code.op(Op::Return);
        let code = code.finish("main").expect("it is small");
        class.method(Flags::PUBLIC | Flags::STATIC, "main", "([Ljava/lang/String;)V", code);
        write_class(folder.path(), "Main", &class.finish().expect("it is small"));
        for class in &self.classes {
            write_class(folder.path(), &class.name, &class.bytes);
        }
        let output = Command::new("java")
            .args(["-Xverify:all", "-Xmx512m"])
            .args(flags)
            .arg("-cp")
            .arg(folder.path())
            .arg("Main")
            .output()
            .expect("java starts");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        String::from_utf8_lossy(&output.stdout).into_owned() + &stderr
    }

    /// Runs everything in the interpreter and with default flags.
    pub(crate) fn check(&self) {
        for flags in [&["-Xint"][..], &[]] {
            let printed = self.run(flags, 3);
            assert_eq!(printed, "done", "with {flags:?}");
        }
    }
}

/// Flags that compile programs before they run, and nothing else, which would take its time.
pub(crate) const COMPILED: &[&str] =
    &["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,P*.*"];

/// So many times as many programs as usual.
pub(crate) fn effort() -> u64 {
    std::env::var("PATHSMITH_EFFORT").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

const STREAM: &str = "java/io/PrintStream";

fn out(code: &mut CodeBuilder<'_>) {
    code.get_static("java/lang/System", "out", "Ljava/io/PrintStream;");
}

fn print_string(code: &mut CodeBuilder<'_>, text: &str) {
    out(code);
    code.push_string(text);
    code.invoke_virtual(STREAM, "print", "(Ljava/lang/String;)V");
}

pub(crate) fn write_class(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(format!("{name}.class")), bytes).expect("classes can be written");
}

/// Whether there is a JVM. A test skips what needs one, unless `CI` is set.
#[track_caller]
pub(crate) fn has_java() -> bool {
    tools::has_tool("java", &["-version"])
}

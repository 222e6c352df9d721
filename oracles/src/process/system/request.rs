//! What pathsmith and supervisors tell each other.

use std::ffi::{OsStr, OsString, c_char};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::process::ProcessLimits;

/// How many file descriptors come with a request: standard input, output and error, the control
/// socket, and the file with the request itself.
pub(super) const N_FDS: usize = 5;

/// What a supervisor says.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Report {
    pub(super) kind: u32,
    /// An error number, or the status of the target.
    pub(super) value: i32,
    pub(super) pid: i32,
    pub(super) supervisor: i32,
    /// In microseconds.
    pub(super) cpu: u64,
}

impl Report {
    pub(super) const STARTED: u32 = 1;
    pub(super) const FAILED: u32 = 2;
    pub(super) const ENDED: u32 = 3;

    pub(super) const fn started(pid: i32, supervisor: i32) -> Self {
        Self { kind: Self::STARTED, value: 0, pid, supervisor, cpu: 0 }
    }

    pub(super) const fn failed(errno: i32) -> Self {
        Self { kind: Self::FAILED, value: errno, pid: 0, supervisor: 0, cpu: 0 }
    }

    pub(super) const fn ended(status: i32, cpu: u64) -> Self {
        Self { kind: Self::ENDED, value: status, pid: 0, supervisor: 0, cpu }
    }
}

/// The head of a request; strings follow it, each with a NUL: the folder, then programs, arguments
/// and environment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Head {
    n_programs: u64,
    n_args: u64,
    n_env: u64,
    /// Limits; the largest number stands for none.
    memory: u64,
    files: u64,
    cpu_seconds: u64,
}

/// A process to be started.
#[derive(Debug)]
pub(in crate::process) struct Request<'a> {
    /// A path, or a name to be looked for on PATH.
    pub(in crate::process) program: &'a OsStr,
    pub(in crate::process) args: &'a [OsString],
    pub(in crate::process) env: &'a [(OsString, OsString)],
    pub(in crate::process) folder: &'a Path,
    pub(in crate::process) limits: ProcessLimits,
}

impl Request<'_> {
    /// The request as supervisors read it.
    ///
    /// # Errors
    /// If a string has a NUL in it, or the folder cannot be made absolute.
    pub(super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let programs = self.programs();
        let head = Head {
            n_programs: programs.len() as u64,
            n_args: self.args.len() as u64 + 1,
            n_env: self.env.len() as u64,
            memory: self.limits.memory.unwrap_or(u64::MAX),
            files: self.limits.files.unwrap_or(u64::MAX),
            cpu_seconds: self.limits.time.as_secs() + 2,
        };
        let Head { n_programs, n_args, n_env, memory, files, cpu_seconds } = head;
        let mut bytes = Vec::with_capacity(4096);
        for number in [n_programs, n_args, n_env, memory, files, cpu_seconds] {
            bytes.extend_from_slice(&number.to_ne_bytes());
        }
        let mut add = |parts: &[&OsStr]| {
            for part in parts {
                if part.as_bytes().contains(&0) {
                    let what = format!("a NUL in {}", part.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
                }
                bytes.extend_from_slice(part.as_bytes());
            }
            bytes.push(0);
            Ok(())
        };
        add(&[std::path::absolute(self.folder)?.as_os_str()])?;
        for program in &programs {
            add(&[program.as_os_str()])?;
        }
        for arg in std::iter::once(self.program).chain(self.args.iter().map(|arg| &**arg)) {
            add(&[arg])?;
        }
        for (name, value) in self.env {
            add(&[name, OsStr::new("="), value])?;
        }
        Ok(bytes)
    }

    /// The files to try.
    fn programs(&self) -> Vec<PathBuf> {
        if self.program.as_bytes().contains(&b'/') || self.program.is_empty() {
            return vec![PathBuf::from(self.program)];
        }
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
        std::env::split_paths(&path).map(|folder| folder.join(self.program)).collect()
    }
}

/// A request in the memory of a supervisor.
pub(super) struct Layout {
    head: Head,
    /// Pointers to all strings: the folder, programs, arguments, a null, the environment, a null.
    pointers: *mut *const c_char,
}

impl Layout {
    /// Maps a request that [`Request::to_bytes`] made.
    ///
    /// SAFETY: the file has to hold one, and must not change.
    pub(super) unsafe fn map(file: RawFd) -> Option<Self> {
        // SAFETY: the request has as many strings as its head says, each of which ends in the file;
        // the pointers get room for all of them.
        unsafe {
            let mut stat: libc::stat = std::mem::zeroed();
            if libc::fstat(file, &mut stat) != 0 {
                return None;
            }
            let map = |size: usize, flags, fd| {
                let access = libc::PROT_READ | libc::PROT_WRITE;
                let flags = libc::MAP_PRIVATE | flags;
                let place = libc::mmap(std::ptr::null_mut(), size, access, flags, fd, 0);
                (place != libc::MAP_FAILED).then_some(place)
            };
            let bytes = map(stat.st_size as usize, 0, file)?.cast::<c_char>();
            let head = bytes.cast::<Head>().read();
            let n_strings = 1 + head.n_programs + head.n_args + head.n_env;
            let room = (n_strings as usize + 2) * size_of::<*const c_char>();
            let pointers = map(room, libc::MAP_ANONYMOUS, -1)?.cast::<*const c_char>();
            let layout = Self { head, pointers };
            let mut string = bytes.add(size_of::<Head>()).cast_const();
            for n in 0..n_strings as usize {
                let has_null_before = n + 1 >= layout.env_at();
                pointers.add(n + usize::from(has_null_before)).write(string);
                string = string.add(libc::strlen(string) + 1);
            }
            Some(layout)
        }
    }

    const fn args_at(&self) -> usize {
        self.head.n_programs as usize + 1
    }

    const fn env_at(&self) -> usize {
        self.args_at() + self.head.n_args as usize + 1
    }

    pub(super) unsafe fn folder(&self) -> *const c_char {
        // SAFETY: the first pointer is that of the folder.
        unsafe { self.pointers.read() }
    }

    pub(super) unsafe fn programs(&self) -> impl Iterator<Item = *const c_char> {
        let first = self.pointers;
        // SAFETY: there are so many programs after the folder.
        (1..=self.head.n_programs as usize).map(move |n| unsafe { first.add(n).read() })
    }

    pub(super) unsafe fn args(&self) -> *const *const c_char {
        // SAFETY: the place is among the pointers.
        unsafe { self.pointers.add(self.args_at()).cast_const() }
    }

    pub(super) unsafe fn env(&self) -> *const *const c_char {
        // SAFETY: the place is among the pointers.
        unsafe { self.pointers.add(self.env_at()).cast_const() }
    }

    /// What to limit, and to how much.
    pub(super) fn limits(&self) -> impl Iterator<Item = (libc::__rlimit_resource_t, u64)> {
        let Head { memory, files, cpu_seconds, .. } = self.head;
        let limits = [
            (libc::RLIMIT_AS, memory),
            (libc::RLIMIT_FSIZE, files),
            (libc::RLIMIT_CPU, cpu_seconds),
            (libc::RLIMIT_CORE, 0),
        ];
        limits.into_iter().filter(|(_, most)| *most != u64::MAX)
    }
}

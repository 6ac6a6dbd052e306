//! A project in a temporary folder, and the binary run in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// What one run of the binary gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Fails the test, with everything that was printed, unless the exit code is `code`.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }
}

/// A folder with a config and sources, and everything that builds in it.
pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    /// A project over a fresh copy of the sample data.
    pub(crate) fn sample() -> Self {
        let project = Self::empty();
        copy_tree(sample_data(), &project.path().join("data"));
        project.init(&["visdrone-vid=data", "visdrone-det=data"]);
        project
    }

    /// A folder without a config.
    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// Writes the config for sources given as `KIND=PATH`, paths relative to the folder.
    #[track_caller]
    pub(crate) fn init(&self, sources: &[&str]) {
        let mut arguments = vec!["init", ".", "--name", "test set"];
        for source in sources {
            arguments.extend(["--source", source]);
        }
        self.run(&arguments).expect_code(0);
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the binary in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().expect("the binary runs");
        Run {
            code: exit_code(output.status),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts the binary in the folder, silently.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uavgen"));
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null()).env("NO_COLOR", "1");
        command
    }

    /// Runs a whole build.
    #[track_caller]
    pub(crate) fn build(&self) -> Run {
        self.run(&["build", "--stage", "all"]).expect_code(0)
    }

    /// Folder of the newest release.
    pub(crate) fn release(&self) -> PathBuf {
        fs::canonicalize(self.path().join("releases/latest")).expect("a release")
    }

    /// BLAKE3 of every file of the newest release by path: equal maps are equal releases.
    pub(crate) fn release_digests(&self) -> BTreeMap<String, String> {
        digests(&self.release())
    }

    /// Replaces text in the config, which must contain it.
    #[track_caller]
    pub(crate) fn edit_config(&self, from: &str, to: &str) {
        edit(&self.path().join("uavgen.toml"), from, to);
    }

    /// Appends lines to the config.
    pub(crate) fn append_config(&self, lines: &str) {
        let path = self.path().join("uavgen.toml");
        let text = fs::read_to_string(&path).expect("a config");
        fs::write(&path, format!("{text}\n{lines}\n")).expect("the config can be written");
    }
}

/// Replaces text in a file, which must contain it.
#[track_caller]
pub(crate) fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a text file");
    assert!(text.contains(from), "{} does not contain {from:?}:\n{text}", path.display());
    fs::write(path, text.replacen(from, to, 1)).expect("the file can be written");
}

/// BLAKE3 of every file below `folder` by path.
pub(crate) fn digests(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for file in files(folder) {
        let name = file.strip_prefix(folder).expect("below the folder").to_string_lossy().into_owned();
        found.insert(name, uavgen_core::fingerprint::digest(&fs::read(&file).expect("a readable file")));
    }
    found
}

/// Every file below `folder`, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Copies files and folders; hard links would let one test edit another's data.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).expect("below the folder"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a new folder");
        fs::copy(&file, &target).expect("a copy");
        let mut permissions = fs::metadata(&target).expect("a file").permissions();
        #[expect(
            clippy::permissions_set_readonly_false,
            reason = "the shared test data is read-only; the copy is ours"
        )]
        permissions.set_readonly(false);
        fs::set_permissions(&target, permissions).expect("permissions");
    }
}

/// The sample data, written once for all tests.
pub(crate) fn sample_data() -> &'static Path {
    static SAMPLE: OnceLock<TempDir> = OnceLock::new();
    let folder = SAMPLE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        uavgen_sample_data::write_sample(folder.path(), 7).expect("the sample data can be written");
        folder
    });
    folder.path()
}

/// The folder with real files of public data sets, where there is one; without it the test says that it was skipped.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("UAVGEN_SHARED").map_or(default, PathBuf::from).join("data");
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(test, &format!("{} is not there", folder.display()));
    None
}

/// Says that a test did not run, past the test runner, which keeps to itself what passing tests print.
pub(crate) fn skipped(test: &str, why: &str) {
    use std::io::Write;
    writeln!(std::io::stderr(), "SKIPPED {test}: {why}").expect("stderr");
}

/// Exit code as a shell would show it.
fn exit_code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

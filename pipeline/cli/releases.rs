//! Which release was meant.

use crate::arguments::Global;
use crate::config::{self, Config};
use crate::exit::Failure;
use std::path::{Path, PathBuf};
use uavgen_engine::publish::LATEST;

/// The folder that was meant: a folder as it is, else a release of the project by name, or `latest`.
///
/// # Errors
/// When there is no such folder, or no project whose release it could be.
pub(crate) fn resolve(release: &Path, global: &Global) -> anyhow::Result<PathBuf> {
    let is_latest = release == Path::new(LATEST);
    if !is_latest && release.is_dir() {
        return Ok(release.to_owned());
    }
    let missing = || Failure::usage(format!("no release {}", release.display()));
    let Ok(file) = config::find(global.config.as_deref()) else {
        return Err(missing().with_hint("name a folder, or run it inside a project").into());
    };
    let releases = Config::load(&file, uavgen_stages::STAGES)?.runtime.releases;
    let folder = releases.join(release);
    if folder.is_dir() {
        // Through the link, so that a build that ends meanwhile does not exchange the release under the audit.
        return Ok(folder.canonicalize()?);
    }
    let hint = if is_latest { "there is none yet: `uavgen build`" } else { "`uavgen status` lists the releases" };
    Err(missing().with_hint(hint).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::LogFormat;
    use crate::exit::Exit;

    fn global(config: &Path) -> Global {
        Global { config: Some(config.to_owned()), log_format: LogFormat::Text, quiet: false }
    }

    #[test]
    fn a_release_is_found_by_folder_name_or_as_latest() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("uavgen.toml");
        let text = "[project]\nname='x'\n[[source]]\nname='a'\nkind='visdrone-vid'\npath='.'\n";
        std::fs::write(&config, text).unwrap();
        let error = resolve(Path::new("latest"), &global(&config)).unwrap_err();
        assert_eq!((crate::exit::exit_of(&error), error.to_string().as_str()), (Exit::Usage, "no release latest"));
        let release = folder.path().canonicalize().unwrap().join("releases/x-1");
        std::fs::create_dir_all(&release).unwrap();
        std::os::unix::fs::symlink("x-1", folder.path().join("releases/latest")).unwrap();
        for name in ["latest", "x-1"] {
            assert_eq!(resolve(Path::new(name), &global(&config)).unwrap(), release);
        }
        assert_eq!(resolve(&release, &global(Path::new("/nowhere"))).unwrap(), release);
        let error = resolve(Path::new("nothing-here"), &global(Path::new("/nowhere"))).unwrap_err();
        assert!(error.to_string().contains("nothing-here"));
    }
}

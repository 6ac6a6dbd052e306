use super::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use uavgen_core::{Context, Grain, StageDefinition, StageInfo, TaskError};

/// A rule for one suite.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Suite {
    /// Smallest area of a box.
    min_area_px2: f64,
    /// Fewest objects of an image.
    min_objects: Option<u32>,
}

impl Default for Suite {
    fn default() -> Self {
        Self { min_area_px2: 64.0, min_objects: None }
    }
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    /// As fast as it goes.
    #[default]
    Fast,
    /// With care.
    Slow,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Margins {
    /// Share of the smaller one.
    share: f64,
}

impl Default for Margins {
    fn default() -> Self {
        Self { share: 1e-9 }
    }
}

/// Every shape that a config may have.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ToyConfig {
    /// Rules by suite.
    suites: BTreeMap<String, Suite>,
    /// Rate of the video, see [`Speed`].
    fps: f64,
    /// Any text "quoted" \ and more.
    text: String,
    /// True rate.
    true_fps: Option<f64>,
    /// How fast.
    speed: Speed,
    /// Classes in order.
    classes: Vec<String>,
    /// Share by class.
    shares: BTreeMap<String, f64>,
    /// How far apart.
    margins: Margins,
    /// Further suites.
    more: BTreeMap<String, Suite>,
}

impl Default for ToyConfig {
    fn default() -> Self {
        Self {
            suites: BTreeMap::from([("aerial2d".into(), Suite::default())]),
            fps: 15.0,
            text: "a \"b\" \\ ü".into(),
            true_fps: None,
            speed: Speed::Fast,
            classes: vec!["car".into(), "van".into()],
            shares: BTreeMap::from([("awning-tricycle".into(), 0.5)]),
            margins: Margins::default(),
            more: BTreeMap::new(),
        }
    }
}

struct Toy;

impl StageDefinition for Toy {
    type Config = ToyConfig;
    const INFO: StageInfo = StageInfo {
        name: "toy",
        version: 1,
        summary: "Plays.",
        grain: Grain::Sequence,
        reads: &[],
        writes: &[],
        reads_counts: false,
        uses_seed: false,
    };

    fn validate(config: &ToyConfig) -> Result<(), ConfigError> {
        if config.fps > 0.0 { Ok(()) } else { Err(ConfigError::new(&["fps"], "must be above 0")) }
    }

    fn run(_: &ToyConfig, _: &mut Context) -> Result<(), TaskError> {
        Ok(())
    }
}

const TOYS: &[&dyn Stage] = &[&Toy];

fn load(text: &str) -> Result<Config, Failure> {
    Config::from_text(Path::new("uavgen.toml"), "/root/of/it".into(), text.into(), TOYS)
}

fn message(text: &str) -> String {
    let failure = load(text).unwrap_err();
    assert_eq!(failure.exit, crate::exit::Exit::Usage);
    match failure.hint {
        Some(hint) => format!("{}\nhint: {hint}", failure.message),
        None => failure.message,
    }
}

const HEAD: &str = "[project]\nname = \"demo\"\n[[source]]\nname = \"vid\"\nkind = \"visdrone-vid\"\npath = \"in\"\n";

fn with(rest: &str) -> String {
    format!("{HEAD}{rest}")
}

#[test]
fn paths_are_relative_to_the_file_and_defaults_hold() {
    let config = load(HEAD).unwrap();
    assert_eq!(config.project.sources[0].path, Path::new("/root/of/it/in"));
    assert_eq!(config.runtime.store, Path::new("/root/of/it/store"));
    assert_eq!((config.project.seed, config.project.sources[0].licence.as_str()), (1, "unstated"));
    assert_eq!(config.stages["toy"], serde_json::json!({}));
}

#[test]
fn the_licence_of_the_project_holds_for_sources_without_one() {
    let text = "[project]\nname='x'\nlicence='CC'\n[[source]]\nname='a'\nkind='k'\npath='/p'\n\
                [[source]]\nname='b'\nkind='k'\npath='/q'\nlicence='own'\n";
    let licences: Vec<String> = load(text).unwrap().project.sources.into_iter().map(|source| source.licence).collect();
    assert_eq!(licences, ["CC", "own"]);
}

#[test]
fn unknown_keys_and_sections_are_errors_with_place_and_meaning() {
    assert_eq!(
        message(&with("[toyy]\nfps = 3\n")),
        "uavgen.toml:7:2: unknown key `toyy`\n  |\n7 | [toyy]\n  |  ^^^^\nhint: did you mean `toy`?"
    );
    assert!(message(&with("[toy]\nfsp = 3\n")).contains("8:1: unknown key `toy.fsp`"));
    assert!(message(&with("[toy.margins]\nshaer = 3\n")).ends_with("hint: did you mean `share`?"));
    assert!(message(&with("splitt = 'x'\n")).contains("7:1: unknown key `source[0].splitt`"));
}

#[test]
fn wrong_types_and_values_are_errors_with_place() {
    assert!(message(&with("[toy]\nfps = 'fast'\n")).contains(":8:7: `toy.fps`: invalid type: string"));
    assert!(message(&with("[toy]\nfps = 0\n")).contains(":8:7: `toy.fps`: must be above 0"));
    assert!(message(&with("[toy]\nspeed = 'fsat'\n")).ends_with("hint: did you mean `fast`?"));
    assert!(message(&with("[toy.split.val]\nfps = -1\n")).contains(":8:7: `toy.fps`: must be above 0"));
    assert!(message(&with("[toy]\nsplit = 'val'\n")).contains("must hold one table per split"));
    assert!(
        message(&with("[runtime]\nmax_bad_share = 2\n")).contains(":8:17: `runtime.max_bad_share`: must be a share")
    );
    assert!(message(&with("[split]\nratios = { train = 0.5 }\n")).contains("add up to 1, not 0.5"));
    assert!(message(&with("[split]\nmode = 'list'\n")).contains("needs a file"));
    assert!(message(&with("toy = 3\n")).contains("unknown key"), "a key after a table header belongs to that table");
}

#[test]
fn sources_are_checked() {
    assert!(message("[project]\nname = 'x'\n").contains("there is no source"));
    let twice = with("[[source]]\nname = \"VID\"\nkind = \"k\"\npath = \"p\"\n");
    assert!(message(&twice).contains(":8:8: `source[1].name`: two sources are called `VID`"));
    assert!(message("[project]\nname='x'\n[[source]]\nname='a b'\nkind='k'\npath='p'\n").contains("letters, digits"));
    assert!(
        message("[project]\nname='x'\n[[source]]\nname='a'\nkind='k'\n")
            .contains(":3:1: `source[0]`: missing field `path`")
    );
    assert!(message("[project]\nname='x'\n[source]\nname='a'\n").contains("double brackets"));
    assert!(message("[[source]]\nname='a'\nkind='k'\npath='p'\n").contains("missing field `name`"));
}

fn source(name: &str) -> template::NewSource {
    let text = serde_json::json!({"name": name, "kind": "visdrone-det", "path": "../a b/ü", "buckets": 4});
    template::NewSource { config: serde_json::from_value(text).unwrap(), has_stills: true, sequences: 3 }
}

/// Every `#key = value` and `#[table]` line with its `#` removed.
fn uncommented(text: &str) -> String {
    let is_default = |line: &str| line.starts_with('#') && line.len() > 1 && !line.starts_with("# ");
    text.lines().map(|line| if is_default(line) { &line[1..] } else { line }).collect::<Vec<_>>().join("\n")
}

fn defaults_survive(registry: &[&dyn Stage]) {
    let text = template::render("My \"data\"", &[source("det"), source("two")], registry);
    for text in [text.clone(), uncommented(&text)] {
        let config = Config::from_text(Path::new("uavgen.toml"), "/r".into(), text.clone(), registry)
            .unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        assert_eq!(config.project.name, "My \"data\"");
        let sources = [source("det"), source("two")]
            .map(|s| SourceConfig { path: Path::new("/r").join(s.config.path), ..s.config });
        assert_eq!(config.project.sources, sources);
        assert_eq!(config.project.split, SplitConfig::default());
        let runtime = RuntimeSection {
            store: "/r/store".into(),
            releases: "/r/releases".into(),
            runs: "/r/runs".into(),
            ..RuntimeSection::default()
        };
        assert_eq!(config.runtime, runtime);
        for stage in registry {
            let configured = stage.configure(&config.stages[stage.info().name]).unwrap();
            assert_eq!(configured.config(), &stage.default_config(), "{}", stage.info().name);
        }
    }
    assert!(uncommented(&text).matches(" = ").count() > text.lines().filter(|line| !line.starts_with('#')).count() / 2);
}

#[test]
fn the_template_with_every_default_uncommented_is_the_default_config() {
    defaults_survive(TOYS);
}

#[test]
fn the_template_of_the_real_stages_is_the_default_config() {
    defaults_survive(uavgen_stages::STAGES);
}

#[test]
fn the_template_explains_keys_and_values() {
    let text = template::render("x", &[source("det")], TOYS);
    let section = text.split("# Plays.\n[toy]\n").nth(1).unwrap();
    for line in [
        "# Rate of the video, see `Speed`.\n#fps = 15.0\n",
        "#   \"fast\": As fast as it goes.\n#   \"slow\": With care.\n#speed = \"fast\"\n",
        "# true_fps = <number>, not set by default\n",
        "#classes = [\"car\", \"van\"]\n",
        "#shares = { awning-tricycle = 0.5 }\n",
        "\n[toy.suites.aerial2d]\n# Smallest area of a box.\n#min_area_px2 = 64.0\n",
        "\n[toy.margins]\n# Share of the smaller one.\n#share = 0.000000001\n",
        "# [toy.more.<name>], none by default\n",
    ] {
        assert!(section.contains(line), "{line}\nis not in\n{section}");
    }
}

#[test]
fn a_config_is_found_from_below() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        find(Some(folder.path())).unwrap_err().to_string(),
        format!("no config file {}", folder.path().join(FILE_NAME).display())
    );
    std::fs::write(folder.path().join(FILE_NAME), HEAD).unwrap();
    assert_eq!(find(Some(folder.path())).unwrap(), folder.path().join(FILE_NAME));
    let config = Config::load(&folder.path().join(FILE_NAME), TOYS).unwrap();
    assert_eq!(config.root, folder.path().canonicalize().unwrap());
}

#[test]
fn editors_may_write_a_byte_order_mark_and_crlf() {
    assert!(load(&format!("\u{feff}{}", HEAD.replace('\n', "\r\n"))).is_ok());
}

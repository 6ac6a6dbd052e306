//! Facts as a sentence.

use super::WORDINGS;
use super::facts::{Above, Counted, Facts, View};
use minijinja::{Environment, context};
use uavgen_core::TaskError;

/// Numbers as words; larger ones are digits.
const WORDS: [&str; 13] =
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// From this height on, in metres, heights are told to five metres.
const COARSE_M: f64 = 20.0;

/// The wordings, compiled.
pub(in crate::generation) struct Prompts {
    environment: Environment<'static>,
    names: Vec<String>,
}

impl Prompts {
    /// Those of the data file.
    ///
    /// # Errors
    /// When it cannot be read, which its test would show.
    pub(in crate::generation) fn embedded() -> Result<Self, TaskError> {
        let failed =
            |error: &dyn std::fmt::Display| TaskError::failed(format!("read the wordings of prompts: {error}"));
        let wordings: Vec<String> = serde_json::from_str(WORDINGS).map_err(|error| failed(&error))?;
        let mut environment = Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        let mut names = Vec::new();
        for (ordinal, wording) in wordings.into_iter().enumerate() {
            let name = ordinal.to_string();
            environment.add_template_owned(name.clone(), wording).map_err(|error| failed(&error))?;
            names.push(name);
        }
        Ok(Self { environment, names })
    }

    /// Number of wordings.
    pub(in crate::generation) fn count(&self) -> usize {
        self.names.len()
    }

    /// The facts in a wording.
    ///
    /// # Errors
    /// When there is no such wording, or it cannot be filled.
    pub(in crate::generation) fn text(&self, wording: usize, facts: &Facts) -> Result<String, TaskError> {
        let filled = self.environment.get_template(&wording.to_string()).and_then(|template| {
            template.render(context! {
                view => way(facts.view),
                angle => angle(facts.view),
                height => height(facts.height_m, facts.above),
                objects => listed(facts.objects.iter().map(counted)),
                areas => listed(facts.areas.iter().map(|name| spoken(name))),
            })
        });
        filled.map_err(|error| TaskError::failed(format!("fill wording {wording}: {error}")))
    }
}

/// Where the camera looks, behind "looking".
fn way(view: View) -> &'static str {
    match view {
        View::Nadir => "straight down",
        View::Oblique => "down at an angle",
        View::Level => "towards the horizon",
    }
}

fn angle(view: View) -> &'static str {
    match view {
        View::Nadir => "Nadir",
        View::Oblique => "Oblique",
        View::Level => "Level",
    }
}

/// A height as people say it: to the metre, from 20 m on to five.
fn height(height_m: f64, above: Above) -> String {
    let step = if height_m.abs() < COARSE_M { 1.0 } else { 5.0 };
    let rounded = ((height_m / step).round() * step).abs();
    let side = if height_m < 0.0 { "below" } else { "above" };
    let what = match above {
        Above::Ground => "the ground",
        Above::Scene => "what is seen",
    };
    format!("{rounded:.0} m {side} {what}")
}

/// `three buildings`, `at least one car`.
fn counted(counted: &Counted) -> String {
    let number = WORDS.get(counted.count).map_or_else(|| counted.count.to_string(), |word| (*word).to_owned());
    let name = spoken(&counted.category);
    let noun = if counted.count == 1 { name } else { plural(&name) };
    let bound = if counted.at_least { "at least " } else { "" };
    format!("{bound}{number} {noun}")
}

/// A name of a class as words.
fn spoken(name: &str) -> String {
    name.replace(['_', '-'], " ").to_lowercase()
}

/// The plural of a noun.
pub(in crate::generation) fn plural(noun: &str) -> String {
    let before_last = noun.chars().rev().nth(1);
    let is_vowel = before_last.is_some_and(|letter| "aeiou".contains(letter));
    match noun {
        _ if noun == "people" || noun.ends_with("vegetation") => noun.to_owned(),
        _ if noun.ends_with("person") => format!("{}people", noun.trim_end_matches("person")),
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ if noun.ends_with('y') && !is_vowel => format!("{}ies", &noun[..noun.len() - 1]),
        _ => format!("{noun}s"),
    }
}

/// `a`, `a and b`, `a, b and c`; empty for none.
fn listed(items: impl Iterator<Item = String>) -> String {
    let mut items: Vec<String> = items.collect();
    match items.pop() {
        Some(last) if !items.is_empty() => format!("{} and {last}", items.join(", ")),
        last => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        let of = |category: &str, count, at_least| Counted { category: category.into(), count, at_least };
        Facts {
            view: View::Nadir,
            tilt_deg: 3.0,
            height_m: 61.3,
            above: Above::Ground,
            objects: vec![of("building", 3, false), of("bus", 2, true), of("car", 1, false)],
            areas: vec!["paved_road".into(), "grass".into()],
        }
    }

    #[test]
    fn every_wording_says_all_that_is_known_and_nothing_where_nothing_is() {
        let prompts = Prompts::embedded().unwrap();
        assert!(prompts.count() >= 6);
        for wording in 0..prompts.count() {
            let text = prompts.text(wording, &facts()).unwrap();
            for part in
                ["60 m above the ground", "three buildings, at least two buses and one car", "paved road and grass"]
            {
                assert!(text.contains(part), "{wording}: {text}");
            }
            assert!(text.contains("straight down") || text.to_lowercase().contains("nadir"), "{text}");
            let bare = Facts { objects: Vec::new(), areas: Vec::new(), view: View::Oblique, ..facts() };
            for text in [text, prompts.text(wording, &bare).unwrap()] {
                assert!(text.ends_with('.') && !text.contains("  ") && !text.contains(['{', '\n']), "{text:?}");
                assert!(!text.contains(" .") && !text.contains(" ,") && !text.contains(".."), "{text:?}");
            }
        }
        assert!(prompts.text(prompts.count(), &facts()).is_err());
    }

    #[test]
    fn numbers_and_nouns_agree() {
        let nouns = ["car", "bus", "person", "people", "berry", "highway", "box", "solar panel"].map(plural);
        assert_eq!(nouns, ["cars", "buses", "people", "people", "berries", "highways", "boxes", "solar panels"]);
        let many = Counted { category: "car".into(), count: 13, at_least: false };
        assert_eq!(counted(&many), "13 cars");
        assert_eq!(height(12.4, Above::Scene), "12 m above what is seen");
        assert_eq!(height(102.4, Above::Ground), "100 m above the ground");
        assert_eq!(height(-3.0, Above::Ground), "3 m below the ground");
    }
}

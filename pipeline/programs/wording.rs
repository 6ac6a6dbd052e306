//! How a question says what its program asks: the phrases of terms, areas and superlatives. Who writes a question fills
//! templates with them, and who checks one looks for them ([`unsaid`], and in what is left [`untold`]), so that text and
//! program cannot drift apart.

mod classes;
pub mod lifted;

use crate::answer::{ORDINALS, box_text, segment_text};
use crate::area::{Area, AreaName};
use crate::ast::{Expr, ExtremeBy, Term};
use crate::program::Program;
use crate::scene::ObjectKind;
use crate::taxonomy::{TERMS, TermEntry, VEHICLE, by_word};
use uavgen_schemas::AnswerType;

/// Words that only a question for the most (the fewest) has.
const DIRECTIONS: [[&str; 4]; 2] = [["most", "largest", "highest", "more"], ["least", "smallest", "lowest", "fewer"]];
/// How a question says that it looks everywhere.
const WHOLE: &str = "in the image";
/// How a question says that it looks at the first frame of a clip.
const STARTS: [&str; 4] = ["begins", "beginning", "starts", "start"];
/// Stands for a place that was cut out of a question.
const PLACE_MARK: &str = "place";

impl TermEntry {
    /// "person (riders included)": what the word covers is said wherever a reader may doubt it.
    pub fn thing(&self) -> String {
        format!("{}{}", self.word, self.scope())
    }

    /// "people (riders included)".
    pub fn things(&self) -> String {
        format!("{}{}", self.plural, self.scope())
    }

    /// "a car", "an awning-tricycle".
    pub fn a_thing(&self) -> String {
        classes::with_article(&self.thing())
    }

    fn scope(&self) -> String {
        if self.note.is_empty() { String::new() } else { format!(" ({})", self.note) }
    }
}

impl Area {
    /// Where the area is: "in the left half of the image".
    pub fn phrase(&self) -> String {
        match self.name.phrase() {
            Some(phrase) => format!("in {phrase}"),
            None => format!(
                "inside the box {} (x1, y1, x2, y2 as shares of the image width and height)",
                box_text(&self.edges)
            ),
        }
    }
}

impl ExtremeBy {
    /// "the leftmost bus in the image (by box centre)": image terms, and which point or size of the box decides.
    pub fn phrase(self, thing: &str) -> String {
        match (self, self.mark()) {
            (Self::Left | Self::Right, mark) => format!("the {mark} {thing} in the image (by box centre)"),
            (Self::Top | Self::Bottom | Self::NearestToCentre, mark) => format!("the {thing} {mark} (by box centre)"),
            (Self::Largest | Self::Smallest, mark) => format!("the {thing} that {mark} (by bounding box)"),
        }
    }

    /// The words that tell it from the others.
    fn mark(self) -> &'static str {
        match self {
            Self::Left => "leftmost",
            Self::Right => "rightmost",
            Self::Top => "nearest to the top edge of the image",
            Self::Bottom => "nearest to the bottom edge of the image",
            Self::Largest => "takes up the largest area of the image",
            Self::Smallest => "takes up the smallest area of the image",
            Self::NearestToCentre => "nearest to the centre of the image",
        }
    }
}

/// A small number as a word, so that it is not taken for an option.
pub fn number_word(number: usize) -> &'static str {
    ["no", "one", "two", "three", "four", "five", "six"].get(number).copied().unwrap_or("several")
}

/// What options mean that a reader may doubt: " (People: riders included.)". Said whether or not the option is right.
pub fn options_note(program: &Program) -> String {
    let noted = among(program.root()).iter().filter_map(|term| by_word(&term.term));
    let notes: Vec<String> = noted.filter(|entry| !entry.note.is_empty()).map(option_note).collect();
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(" ")) }
}

fn option_note(entry: &TermEntry) -> String {
    let (first, rest) = entry.plural.split_at(1);
    format!("{}{rest}: {}.", first.to_uppercase(), entry.note)
}

/// Terms that the program's answer is one (or some) of.
fn among(root: &Expr) -> &[Term] {
    match root {
        Expr::CategoryOf { among, .. }
        | Expr::PresentTerms { among, .. }
        | Expr::MostNumerous { among, .. }
        | Expr::Fewest { among, .. }
        | Expr::SurfaceOf { among, .. }
        | Expr::FirstAppearances { among, .. } => among,
        _ => &[],
    }
}

/// What the program asks and the question does not say: the missing phrase, and the words in its place where the question
/// says the opposite. Null where text and program agree. Only what has one fixed phrase is looked for.
///
/// ```
/// use uavgen_programs::{Area, AreaName, Expr, Program, wording::unsaid};
/// let left = Area::named(AreaName::LeftHalf).unwrap();
/// let program = Program::new(Expr::objects(0).where_category(["bus"]).where_region(left).count()).unwrap();
/// assert_eq!(unsaid("How many buses are in the left half of the image?", &program), None);
/// assert_eq!(unsaid("How many buses are in the image?", &program).unwrap(), "in the left half of the image");
/// assert_eq!(unsaid("How many vans are in the left half of the image?", &program).unwrap(), "bus");
/// ```
pub fn unsaid(question: &str, program: &Program) -> Option<String> {
    let text = question.to_lowercase();
    if program.objects() == ObjectKind::Lifted {
        return lifted::unsaid(&text, program);
    }
    let note = options_note(program);
    if !text.contains(&note.to_lowercase()) {
        return Some(note.trim().to_owned());
    }
    if let Some(wrong) = wrong_direction(&text, program.root()) {
        return Some(wrong);
    }
    let named = among(program.root()).is_empty();
    steps(program.root()).into_iter().flat_map(|step| phrases(step, named)).find_map(|alternatives| {
        let said = alternatives.iter().any(|phrase| has_words(&text, &phrase.to_lowercase()));
        if said { None } else { alternatives.into_iter().next() }
    })
}

/// Every op of an expression.
fn steps(expr: &Expr) -> Vec<&Expr> {
    std::iter::once(expr).chain(expr.inputs().flat_map(|(_, input)| steps(input))).collect()
}

/// Phrases that a question about an op holds: of each list one. `named`: terms stand in the question, not in its options.
fn phrases(step: &Expr, named: bool) -> Vec<Vec<String>> {
    match step {
        Expr::WhereCategory { .. } if named => {
            entry_of(step).map(|entry| vec![entry.thing(), entry.things()]).into_iter().collect()
        }
        Expr::WhereRegion { area, .. } => vec![vec![area.phrase()]],
        Expr::Extreme { by, .. } => vec![vec![by.mark().to_owned()]],
        Expr::Unique { .. } => vec![vec!["only".to_owned()]],
        Expr::ObjectAt { at, .. } => vec![vec![box_text(at)]],
        Expr::CountTracks { frames, .. } | Expr::CountFramesWhere { frames, .. } => {
            vec![vec![number_word(frames.len()).to_owned()]]
        }
        Expr::CountAtStart { segment, .. } => {
            vec![vec![segment_text(*segment)], STARTS.map(str::to_owned).to_vec()]
        }
        Expr::CountSegmentTracks { segment, .. } => vec![vec![segment_text(*segment)]],
        Expr::FirstAppearances { .. } => vec![vec!["first".to_owned()]],
        _ => Vec::new(),
    }
}

/// The term that a step narrows a set to.
fn entry_of(step: &Expr) -> Option<&'static TermEntry> {
    let Expr::WhereCategory { any_of, .. } = step else { return None };
    TERMS.iter().chain([&VEHICLE]).find(|entry| entry.term().any_of == *any_of)
}

/// What is wrong with the direction of a comparison: the question asks for the fewest where the program has the most.
fn wrong_direction(text: &str, root: &Expr) -> Option<String> {
    let [own, other] = match root {
        Expr::MostNumerous { .. } => DIRECTIONS,
        Expr::Fewest { .. } => [DIRECTIONS[1], DIRECTIONS[0]],
        _ => return None,
    };
    if let Some(opposite) = other.iter().find(|word| has_words(text, word)) {
        return Some(format!("{} (it says {opposite:?})", own[0]));
    }
    let said = own.iter().any(|word| has_words(text, word));
    if said { None } else { Some(own[0].to_owned()) }
}

/// The question in lower case with marks in place of what its program says: what is left is the wording, the same whatever
/// the kinds, places and boxes are.
///
/// ```
/// use uavgen_programs::{Area, AreaName, Expr, Program, wording::rest};
/// let buses = Expr::objects(0).where_category(["bus"]);
/// let left = buses.clone().where_region(Area::named(AreaName::LeftHalf).unwrap());
/// let (all, left) = (Program::new(buses.count()).unwrap(), Program::new(left.count()).unwrap());
/// assert_eq!(rest("How many buses are in the image?", &all), "how many {thing} are?");
/// assert_eq!(rest("How many buses are in the left half of the image?", &left), "how many {thing} are?");
/// assert_eq!(rest("How many buses are in the left half?", &all), "how many {thing} are in the left half?");
/// ```
pub fn rest(question: &str, program: &Program) -> String {
    let note = options_note(program).to_lowercase();
    let text = question.to_lowercase().replace(&note, "");
    let lifted = program.objects() == ObjectKind::Lifted;
    let said = if lifted { lifted::said(program) } else { said(program.root()) };
    let text = if lifted { without_cues(&text) } else { text };
    let text = said.iter().fold(text, |text, (phrase, mark)| {
        let phrase = phrase.to_lowercase();
        let ends = word_matches(&text, &phrase).map(|start| start..start + phrase.len());
        let mut text = text.clone();
        ends.collect::<Vec<_>>().into_iter().rev().for_each(|range| text.replace_range(range, mark));
        text
    });
    let tidy = text.split_whitespace().collect::<Vec<_>>().join(" ");
    [" ?", " ,", " ."].iter().fold(tidy, |text, spaced| text.replace(spaced, spaced.trim_start()))
}

/// The text with a mark in place of numbers of degrees and of seconds between images: where north is and how much time passed are no
/// parts of a program.
fn without_cues(text: &str) -> String {
    ["°", " s "].iter().fold(text.to_owned(), |text, unit| {
        let (mut left, mut out) = (text.as_str(), String::with_capacity(text.len()));
        while let Some(at) = left.find(unit) {
            let before = left[..at].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            out.push_str(before);
            out.push_str(if before.len() < at { "{cue}" } else { "" });
            out.push_str(unit);
            left = &left[at + unit.len()..];
        }
        out + left
    })
}

/// What a program says, with the mark for it; phrases that hold others come first.
fn said(root: &Expr) -> Vec<(String, &'static str)> {
    let steps = steps(root);
    let named = among(root).is_empty();
    let things: Vec<&TermEntry> = steps.iter().filter(|_| named).filter_map(|step| entry_of(step)).collect();
    let areas =
        steps.iter().filter_map(|step| if let Expr::WhereRegion { area, .. } = step { Some(area) } else { None });
    // A place may be left out where it is the whole image, so places leave no mark.
    let places: Vec<String> = areas.map(Area::phrase).chain([WHOLE.to_owned()]).collect();
    let targets = steps.iter().flat_map(|step| -> Vec<String> {
        match step {
            Expr::Extreme { by, .. } => things.iter().map(|thing| by.phrase(&thing.thing())).collect(),
            Expr::Unique { .. } => {
                let only = |thing: &&TermEntry| format!("the only {} {}", thing.thing(), places[0]);
                things.iter().map(only).collect()
            }
            _ => Vec::new(),
        }
    });
    let values = steps.iter().filter_map(|step| match step {
        Expr::ObjectAt { at, .. } => Some((box_text(at), "{box}")),
        Expr::CountTracks { frames, .. } | Expr::CountFramesWhere { frames, .. } => {
            Some((number_word(frames.len()).to_owned(), "{number}"))
        }
        Expr::CountAtStart { segment, .. } | Expr::CountSegmentTracks { segment, .. } => {
            Some((segment_text(*segment), "{clip}"))
        }
        _ => None,
    });
    let words = things.iter().flat_map(|thing| [thing.a_thing(), thing.things(), thing.thing()]);
    let targets = targets.map(|target| (target, "{target}"));
    let all = targets.chain(places.iter().map(|place| (place.clone(), ""))).chain(values);
    all.chain(words.map(|word| (word, "{thing}"))).collect()
}

/// A kind, place, superlative or clip in the [`rest`] of a question: its program does not have it.
///
/// ```
/// use uavgen_programs::wording::untold;
/// assert_eq!(untold("how many {thing} are in the left half?").unwrap(), "the left half");
/// assert_eq!(untold("state left, top, right and bottom of {target}"), None);
/// ```
pub fn untold(rest: &str) -> Option<String> {
    let kinds = TERMS.iter().chain([&VEHICLE]).flat_map(|entry| [entry.word, entry.plural]);
    let areas = AreaName::HALVES.into_iter().chain(AreaName::GRID).filter_map(AreaName::phrase);
    // "the left half", "the top-left cell": without what they are parts of.
    let areas = areas.filter_map(|phrase| phrase.split(" of ").next());
    let marks = ExtremeBy::ALL.into_iter().map(ExtremeBy::mark);
    let mut words =
        kinds.chain(areas).chain(marks).map(str::to_owned).chain(ORDINALS.map(|word| format!("{word} clip")));
    words.find(|words| has_words(rest, words))
}

/// Whether a phrase stands in the text, not as part of longer words.
fn has_words(text: &str, phrase: &str) -> bool {
    word_matches(text, phrase).next().is_some()
}

/// Where a phrase stands in the text, not as part of longer words.
fn word_matches<'a>(text: &'a str, phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '-';
    let ends = move |found: usize| {
        let (before, after) = (&text[..found], &text[found + phrase.len()..]);
        !before.chars().next_back().is_some_and(part_of_word) && !after.chars().next().is_some_and(part_of_word)
    };
    text.match_indices(phrase).map(|(found, _)| found).filter(move |&found| ends(found))
}

/// What a question says beside its program, where that names kinds that are no hint: "the car nearest to the bus" says nothing of
/// the kind of another object.
pub fn own_words(question: &str, program: &Program) -> String {
    match program.objects() {
        ObjectKind::Lifted => rest(question, program),
        ObjectKind::Annotated => question.to_owned(),
    }
}

/// Whether the words of the answer stand in the question, in order. Only where the answer is a number or a name: a
/// question may well say "yes", and boxes are given to ask about them. Names of areas ("a three-by-three grid") and boxes
/// tell where to look and give nothing away.
pub fn gives_answer_away(question: &str, answer_type: AnswerType, answer: &str) -> bool {
    let kinds = [
        AnswerType::Int,
        AnswerType::Float,
        AnswerType::Category,
        AnswerType::Choices,
        AnswerType::Segment,
        AnswerType::Order,
    ];
    if !kinds.contains(&answer_type) {
        return false;
    }
    let question = words(&without_places(question));
    answer
        .split("; ")
        .map(words)
        .any(|answer| !answer.is_empty() && question.windows(answer.len()).any(|part| part == answer.as_slice()))
}

/// The question without the phrases of named areas and without boxes in brackets. What is cut leaves a mark, so that no
/// words meet that did not stand together.
fn without_places(question: &str) -> String {
    let mut text = question.to_owned();
    for phrase in AreaName::HALVES.into_iter().chain(AreaName::GRID).filter_map(AreaName::phrase) {
        text = text.replace(phrase, PLACE_MARK);
    }
    while let Some(start) = text.find('[')
        && let Some(length) = text[start..].find(']')
    {
        text.replace_range(start..=start + length, PLACE_MARK);
    }
    text
}

/// Words in lower case; decimals and hyphens belong to their word.
fn words(text: &str) -> Vec<String> {
    let separates = |c: char| !(c.is_alphanumeric() || c == '.' || c == '-');
    text.split(separates).map(|word| word.trim_matches('.').to_lowercase()).filter(|word| !word.is_empty()).collect()
}

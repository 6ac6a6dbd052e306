//! The sample data through ingest, filter and qa, against its truth table.

use super::refusals::{INSIDE_SHARES, Refused};
use super::truth_check::expected_answer;
use crate::testing::sample::{Chain, project, stage};
use serde_json::json;
use std::collections::BTreeMap;
use uavgen_sample_data::{DEFAULT_SEED, Truth, write_sample};
use uavgen_schemas::{Frame, QaItem, Recording, Reject, RejectKind};

/// Everything that came of one sample.
struct Outcome {
    truth: Truth,
    items: Vec<QaItem>,
    refusals: Vec<Reject>,
    /// Recording and frame number, as the truth table has them, by frame id.
    frames: BTreeMap<String, (String, u32)>,
}

impl Outcome {
    /// The sample of `seed` through the stages.
    fn of(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sample = folder.path().join("sample");
        let truth = write_sample(&sample, seed).unwrap();
        let project = project(&sample);
        let discovery = stage("ingest").configure(&json!({})).unwrap().discover(&project).unwrap().unwrap();
        let mut outcome = Self { truth, items: Vec::new(), refusals: Vec::new(), frames: BTreeMap::new() };
        for (position, found) in discovery.found.iter().enumerate() {
            let mut chain = Chain::new(&project, found, folder.path().join(position.to_string()));
            chain.run("ingest", json!({}));
            chain.run("filter", json!({}));
            // Every third frame, and no limits, for figures that mean something.
            chain.run("qa", json!({"frame_stride": 3, "max_per_frame": 100, "max_per_recording": 10_000}));
            outcome.add(&chain);
        }
        outcome
    }

    fn add(&mut self, chain: &Chain) {
        let recordings: BTreeMap<String, String> =
            chain.rows::<Recording>().into_iter().map(|row| (row.recording_id, row.sequence)).collect();
        for frame in chain.rows::<Frame>() {
            let place = (recordings[&frame.recording_id].clone(), frame.source_number as u32);
            self.frames.insert(frame.frame_id, place);
        }
        self.items.extend(chain.rows::<QaItem>());
        self.refusals.extend(chain.rows::<Reject>().into_iter().filter(|reject| reject.kind == RejectKind::Refusal));
    }

    /// Answered and refused questions by task.
    fn shares(&self) -> BTreeMap<&str, (usize, usize)> {
        let mut shares: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        self.items.iter().for_each(|item| shares.entry(&item.task).or_default().0 += 1);
        let tasks = self.refusals.iter().map(|reject| reject.detail.split(':').next().unwrap());
        tasks.for_each(|task| shares.entry(task).or_default().1 += 1);
        shares
    }

    /// Equal to the truth, however much of an object must be in an area for it to count.
    fn check_answers(&self) {
        for item in &self.items {
            for inside in [0.5].into_iter().chain(INSIDE_SHARES) {
                let expected = expected_answer(item, &self.truth, &self.frames, inside);
                assert_eq!(item.answer, expected, "{} {:?} {inside} {}", item.question, item.frame_ids, item.program);
            }
        }
    }

    fn check_shares(&self) {
        let shares = self.shares();
        println!("answered and refused: {shares:?}");
        assert_eq!(shares.len(), 8, "{shares:?}");
        let short = shares.iter().filter(|(_, (answered, refused))| answered * 10 < (answered + refused) * 6);
        assert_eq!(short.count(), 0, "less than 60 % answered: {shares:?}");
    }

    /// Draws refusals and shows for each that readings of the frames differ in the answer.
    fn check_refusals(&self) {
        const DRAWN: usize = 150;
        // These are not worth asking, or three decimals cannot say which box is meant.
        const NOT_AMBIGUOUS: [&str; 4] = ["degenerate", "answer_in_question", "box_text_coarse", "no_object"];
        let mut drawn: Vec<&Reject> =
            self.refusals.iter().filter(|reject| !NOT_AMBIGUOUS.contains(&reject.reason.as_str())).collect();
        // Ids are hashes, so their order is a draw.
        drawn.sort_by_key(|reject| &reject.record_id);
        let refused = drawn.into_iter().take(DRAWN).map(Refused::parse);
        let mut by_reason: BTreeMap<String, usize> = BTreeMap::new();
        for refused in refused {
            assert!(refused.is_ambiguous(&self.truth, &self.frames), "every reading gives one answer: {refused}");
            *by_reason.entry(refused.reason).or_default() += 1;
        }
        println!("truly ambiguous: {by_reason:?}");
        assert!(by_reason.len() >= 2 && by_reason.values().sum::<usize>() >= 20, "{by_reason:?}");
    }
}

/// The order in which candidates are tried was found with the default seed; the other seed keeps it honest.
#[test]
fn answers_equal_the_truth_table_most_candidates_are_answered_and_what_is_refused_is_ambiguous() {
    for seed in [DEFAULT_SEED, 20_261_130] {
        let outcome = Outcome::of(seed);
        outcome.check_answers();
        outcome.check_shares();
        outcome.check_refusals();
    }
}

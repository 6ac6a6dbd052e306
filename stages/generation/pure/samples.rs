//! The samples of a frame.

use super::facts::Facts;
use super::prompts::Prompts;
use serde::Serialize;
use uavgen_core::TaskError;
use uavgen_core::draw::Draw;
use uavgen_schemas::{AnswerSource, GenerationKind, GenerationSample, GenerationTriple, canonical};

/// What a text was made from.
#[derive(Serialize)]
struct Provenance<'a> {
    wording: usize,
    facts: &'a Facts,
}

/// One sample of each kind, in the order of the kinds.
pub(in crate::generation) fn samples(
    triple: &GenerationTriple,
    facts: &Facts,
    prompts: &Prompts,
    draw: &Draw,
) -> Result<Vec<GenerationSample>, TaskError> {
    let failed =
        |error: serde_json::Error| TaskError::failed(format!("write the facts of {}: {error}", triple.frame_id));
    let sample = |kind: GenerationKind| {
        let id = format!("{}#{}", triple.frame_id, kind.name());
        let (prompt, provenance) = if kind.has_text() {
            let wording = draw.below(prompts.count(), &["generation", &id]);
            let provenance = canonical::of(&Provenance { wording, facts }).map_err(failed)?;
            (Some(prompts.text(wording, facts)?), provenance)
        } else {
            (None, "{}".to_owned())
        };
        Ok(GenerationSample {
            sample_id: id,
            kind,
            frame_id: triple.frame_id.clone(),
            recording_id: triple.recording_id.clone(),
            inputs: kind.inputs().to_vec(),
            target: kind.target(),
            prompt_source: prompt.as_ref().map(|_| AnswerSource::Computed),
            prompt,
            group_id: triple.group_id.clone(),
            split: triple.split.clone(),
            licence: triple.licence.clone(),
            provenance,
        })
    };
    GenerationKind::ALL.into_iter().map(sample).collect()
}

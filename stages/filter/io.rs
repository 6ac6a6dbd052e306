//! The shell: reads the annotations of the partition, applies the rules of every suite, writes.

use super::config::FilterConfig;
use super::pure::{self, Annotations};
use uavgen_core::{Context, TaskError};
use uavgen_schemas::{Box2d, Frame, Region};

pub(super) fn run(config: &FilterConfig, context: &mut Context) -> Result<(), TaskError> {
    let mut frames = context.read::<Frame>()?;
    frames.sort_by(|a, b| (&a.recording_id, a.index).cmp(&(&b.recording_id, b.index)));
    let boxes = context.read::<Box2d>()?;
    let regions = context.read::<Region>()?;
    context.count_read("box", boxes.len() as u64);
    let annotations = Annotations::new(&boxes, &regions);
    let mut selections = Vec::with_capacity(frames.len() * config.suites.len());
    for (suite, rules) in &config.suites {
        for frame in &frames {
            let (selection, rejects) = pure::select(suite, rules, frame, &annotations);
            rejects.into_iter().for_each(|reject| context.reject(reject));
            selections.push(selection);
        }
        context.check_cancelled()?;
    }
    context.write(selections)
}

//! Finds staged files: written outside the destination, their content later inside it.
//!
//! Three ways lead there: the file itself is renamed in; the kernel copies it in; or the program reads it back and
//! writes it again. The third is recognised by content (the first bytes of the blocks), else by order and size, and
//! only where the sizes agree to 1 %: a program that merely reads one file while writing another is not accused.
//! Without a destination, any file that the program wrote, copied on and then deleted counts.

use std::collections::HashSet;
use std::path::Path;

use lightfast_model::BytePath;

use super::ledger::{Flow, Ledger};
use super::report::{Evidence, Staged, Staging};

/// Works it out from the books. `size` tells the size of a file that is still there.
pub(crate) fn find(ledger: &Ledger, dest: Option<&Path>, size: &dyn Fn(&Path) -> Option<u64>) -> Staging {
    let mut list = renamed_in(ledger, dest);
    let renamed: HashSet<BytePath> = list.iter().map(|s| s.staged.clone()).collect();
    list.extend(copied_in(ledger, dest, size).into_iter().filter(|s| !renamed.contains(&s.staged)));
    list.sort_by(|a, b| (b.written + b.read_back, &a.staged).cmp(&(a.written + a.read_back, &b.staged)));
    Staging {
        files: list.len() as u64,
        written: list.iter().map(|s| s.written).sum(),
        read_back: list.iter().map(|s| s.read_back).sum(),
        list,
    }
}

fn renamed_in(ledger: &Ledger, dest: Option<&Path>) -> Vec<Staged> {
    let Some(dest) = dest else { return Vec::new() };
    let into = |from: &Path, to: &Path| to.starts_with(dest) && !from.starts_with(dest);
    let mut found = Vec::new();
    for rename in ledger.renames.iter().filter(|r| !r.refused && into(&r.from, &r.to)) {
        for file in rename.files.iter().filter_map(|&id| ledger.files.get(id)).filter(|f| f.incoming > 0) {
            let staged = file.was.clone().unwrap_or_else(|| rename.from.clone());
            found.push(Staged {
                staged: staged.into(),
                destination: if rename.link { rename.to.clone().into() } else { file.path.clone().into() },
                written: file.incoming,
                read_back: 0,
                evidence: Evidence::Renamed,
                process: String::new(),
                cleaned_up: !rename.link,
            });
        }
    }
    found
}

fn copied_in(ledger: &Ledger, dest: Option<&Path>, size: &dyn Fn(&Path) -> Option<u64>) -> Vec<Staged> {
    // A file may be staged twice, so those found become targets for the next look.
    let mut staged: HashSet<usize> = HashSet::new();
    let mut found: Vec<(usize, usize, Flow)> = Vec::new();
    loop {
        let before = found.len();
        for (&(from, to), flow) in &ledger.flows {
            let (Some(source), Some(target)) = (ledger.files.get(from), ledger.files.get(to)) else { continue };
            let outside = dest.is_none_or(|d| !source.path.starts_with(d));
            let arrives = match dest {
                Some(dest) => target.path.starts_with(dest) || staged.contains(&to),
                None => source.gone,
            };
            let written_first = source.first_write.is_some_and(|w| w <= flow.first);
            let length = |file: &super::ledger::File| {
                if file.gone { file.incoming } else { size(&file.path).unwrap_or(file.incoming) }
            };
            let (of_source, of_target) = (length(source), length(target));
            let alike = of_source.abs_diff(of_target).saturating_mul(100) <= of_target.max(1);
            let most = flow.bytes().saturating_mul(2) > of_target && of_target > 0;
            if outside && arrives && written_first && alike && most && staged.insert(from) {
                found.push((from, to, *flow));
            }
        }
        if found.len() == before {
            break;
        }
    }
    found.iter().filter_map(|&(from, to, flow)| describe(ledger, from, to, flow)).collect()
}

fn describe(ledger: &Ledger, from: usize, to: usize, flow: Flow) -> Option<Staged> {
    let (source, target) = (ledger.files.get(from)?, ledger.files.get(to)?);
    let read_back =
        ledger.io.iter().filter(|((_, file), _)| *file == from).map(|(_, io)| io.read + io.copied_out).sum();
    let evidence = match flow {
        Flow { in_kernel, by_content, by_order, .. } if in_kernel >= by_content + by_order => Evidence::InKernel,
        Flow { by_content, by_order, .. } if by_content >= by_order => Evidence::Content,
        _ => Evidence::Order,
    };
    Some(Staged {
        staged: source.was.clone().unwrap_or_else(|| source.path.clone()).into(),
        destination: target.path.clone().into(),
        written: source.incoming,
        read_back,
        evidence,
        process: ledger.processes.get(ledger.owner(flow.process)).map_or_else(String::new, |p| p.name.clone()),
        cleaned_up: source.gone,
    })
}

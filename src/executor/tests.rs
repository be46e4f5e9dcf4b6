//! What the executor promises about the journal: who waits for it, what a full one refuses, what a lost one undoes.

use crate::config::Config;
use crate::journal::Flaky;
use crate::transcript::Stage;

fn stage() -> (Stage, Flaky) {
    let journal = Flaky::new();
    (Stage::with_journal(Config::default(), Box::new(journal.clone())), journal)
}

#[test]
fn a_reply_waits_for_the_last_write_to_the_keys_it_touched() {
    let (mut stage, journal) = stage();
    stage.play("A: SET k v\nA! nothing\nB: GET k\nB! nothing\nC: GET other\nC= nil\nC: DBSIZE\nC! nothing");
    journal.commit_all();
    stage.play("A= +OK\nB= \"v\"\nC= :1");
}

#[test]
fn a_full_journal_refuses_writes_and_serves_reads() {
    let (mut stage, journal) = stage();
    stage.play("A: SET k v");
    journal.commit_all();
    stage.play("A= +OK");
    journal.set_full(true);
    stage.play("A: SET k w\nA= -MISCONF Errors writing to the log: No space left on device\nA: GET k\nA= \"v\"");
    journal.set_full(false);
    stage.play("A: SET k w");
    journal.commit_all();
    stage.play("A= +OK");
}

#[test]
fn what_the_journal_lost_never_happened() {
    let (mut stage, journal) = stage();
    stage.play("A: SET k old");
    journal.commit_all();
    stage.play("A= +OK\nA: SET k new\nA! nothing");
    assert_eq!(stage.executor.recover_if_lost(), Ok(false));
    journal.lose();
    assert_eq!(stage.executor.recover_if_lost(), Ok(true));
    stage.play("A! nothing\nB: GET k\nB= \"old\"");
}

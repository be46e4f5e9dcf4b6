//! Plays transcripts, recorded from Redis 7.0.15, on a bare VM with a stub of a server behind it.

mod bounds;
mod player;
mod stub;

use player::play;

#[test]
fn conversions_are_those_of_redis() {
    play(include_str!("../cases/conversions.case"));
}

#[test]
fn error_texts_are_those_of_redis() {
    play(include_str!("../cases/errors.case"));
}

#[test]
fn sandbox_is_that_of_redis() {
    play(include_str!("../cases/sandbox.case"));
}

#[test]
fn redis_table_is_that_of_redis() {
    play(include_str!("../cases/redis-table.case"));
}

#[test]
fn bit_is_that_of_redis() {
    play(include_str!("../cases/bit.case"));
}

#[test]
fn struct_is_that_of_redis() {
    play(include_str!("../cases/struct.case"));
}

#[test]
fn cmsgpack_is_that_of_redis() {
    play(include_str!("../cases/cmsgpack.case"));
}

#[test]
fn cjson_is_that_of_redis() {
    play(include_str!("../cases/cjson.case"));
}

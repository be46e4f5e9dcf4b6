//! Transcripts of set commands, as Redis 7.0.15 answers them.

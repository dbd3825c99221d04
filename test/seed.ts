import * as fc from "fast-check";

/**
 * Property tests try the same cases in every run: a failure is of a change and not of chance. With
 * SKEIN_SEED=random they look for new ones, with SKEIN_SEED=N they repeat a failure, whose seed
 * fast-check prints.
 */
const given = process.env["SKEIN_SEED"] ?? "20261122";
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: given === "random" ? Date.now() | 0 : Number(given),
});

/** Sizes grow with `npm run test:full`. */
export const isFullSize: boolean = Number(process.env.STRATA_TEST_SCALE ?? 1) > 1

export { decideCrdChecks } from './decide-crd-check.ts'
export { type Release, releaseNames, toRelease } from './release.ts'
export { isAccepted, reportCrdCheck } from './report-crd-check.ts'

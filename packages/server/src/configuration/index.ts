export { aggregatedResources, builtInResources, gatedOff } from './built-in-resources.ts'
export { ConfigurationProblem, errorCode } from './configuration-problem.ts'
export { decideKindsProblem } from './decide-kinds-problem.ts'
export {
  defaultFeatureGates,
  type FeatureGates,
  findGateProblem,
  parseFeatureGates,
} from './feature-gates.ts'
export { importFile } from './import-file.ts'
export { knownApis } from './known-apis.ts'
export { loadResources } from './load-resources.ts'
export { makeDirectory } from './make-directory.ts'
export { canNameUsers } from './overlapping-authorities.ts'
export {
  type ClientIdentity,
  parseCertificates,
  readAuthorities,
  readClientIdentity,
} from './read-certificates.ts'
export { type IsServed, parseRuntimeConfig } from './runtime-config.ts'
export { serveDefaults } from './serve-defaults.ts'
export { softwareRelease } from './software-release.ts'

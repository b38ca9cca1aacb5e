/**
 * Every function that parses input from outside this server, in one place for the fuzzers (`npm run fuzz`). Not a stable
 * interface for embedders.
 */

export { parseLossless, parseSent } from '@strata/api'
export { readAggregated, readLegacy } from './aggregation/remote-discovery.ts'
export { bearerToken } from './authentication/bearer-token.ts'
export { hasValidSignature, parseToken, signToken } from './authentication/json-web-token.ts'
export { createCodec, UndecodableObject } from './codec/codec.ts'
export { countKeys, countKeysIn, findDuplicateKeys } from './codec/duplicate-keys.ts'
export { MalformedJson, parseObjectText } from './codec/json.ts'
export { ConfigurationProblem } from './configuration/index.ts'
export { parseTokenFile } from './credentials/token-file.ts'
export { UnusableConfiguration, understandConfiguration } from './encryption/read-configuration.ts'
export { CannotOpen } from './encryption/sealing-key.ts'
export { parseYaml } from './handlers/body/yaml.ts'
export { yamlText } from './http/yaml-text.ts'
export { mergeSwagger } from './openapi/remote/merge-swagger.ts'
export { UnusableDocument } from './openapi/remote/read-parts.ts'
export { readSwagger } from './openapi/remote/read-swagger.ts'
export { swaggerPieces } from './openapi/swagger-pieces.ts'
export { decodeContinue, encodeContinue } from './registry/read/continue-token.ts'

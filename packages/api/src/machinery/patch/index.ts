export { goTypeName, goValueText } from './go-value.ts'
export { applyJsonPatch } from './json-patch.ts'
export {
  type JsonPatchOperation,
  maxJsonPatchCopyBytes,
  maxJsonPatchOperations,
} from './json-patch-operation.ts'
export { cloneJson, fieldOf, isJsonObject, type JsonObject, jsonEqual, jsonTypeName } from './json-value.ts'
export { applyMergePatch } from './merge-patch.ts'
export { PatchError, type PatchErrorCode } from './patch-error.ts'
export { isRawNumber, type RawNumber } from './raw-number.ts'
export { applyStrategicMergePatch } from './strategic-merge-patch.ts'

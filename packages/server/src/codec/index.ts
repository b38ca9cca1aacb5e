export * from './codec.ts'
export { ConversionPending, type Converter, renamingConverter, whenConverted } from './converter.ts'
export { createCustomCodec } from './custom-codec.ts'
export type { CustomVersion } from './custom-versions.ts'
export { countKeys, countKeysIn, findDuplicateKeys } from './duplicate-keys.ts'
export * from './fingerprint.ts'
export * from './json.ts'
export { type PlacedResource, placedResource, ResourcePlaces } from './resource-places.ts'
export {
  clearTextSeal,
  isSealed,
  isSealedForNow,
  markSealed,
  sealText,
  unsealingAdvice,
  whySealed,
} from './sealed-bytes.ts'
export * from './storage-key.ts'
export { type StoredType, storedTypeIn, storedVersionIn } from './stored-version.ts'

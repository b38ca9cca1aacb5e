export { type CrdDocument, type CrdPlace, placeText } from './crd-document.ts'
export { type ReadOptions, readCrds } from './read-crds.ts'

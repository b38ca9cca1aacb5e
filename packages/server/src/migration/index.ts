export { type ReencodeParts, reencode } from './reencode.ts'
export { type OpenStored, openPlain } from './stored-form.ts'
export { type CensusParts, takeCensus } from './take-census.ts'

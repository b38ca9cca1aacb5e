export { type ReencodeParts, reencode } from './reencode.ts'
export { type CensusParts, takeCensus } from './take-census.ts'

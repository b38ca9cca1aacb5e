import { opaque, struct } from '../types/cel-type.ts'

export const QUANTITY = struct('kubernetes.Quantity')
export const URL_TYPE = struct('kubernetes.URL')
export const FORMAT = struct('kubernetes.NamedFormat')
export const SEMVER = struct('kubernetes.Semver')
export const IP = opaque('net.IP')
export const CIDR = opaque('net.CIDR')

/** Comparing two of them costs one unit, however long they are written. */
export const UNIT_COST_TYPES: ReadonlySet<string> = new Set(
  [QUANTITY, URL_TYPE, FORMAT, SEMVER, IP, CIDR].map((type) => type.name),
)

import { OpaqueValue, typeNameOf, type Value } from '../evaluation/value.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from '../types/cel-type.ts'

const types: ReadonlyMap<string, CelType> = new Map(
  [
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    listOf(DYN),
    mapOf(DYN, DYN),
    optionalOf(DYN),
  ].map((type) => [type.name, type]),
)

/** What `type()` gives. Objects are maps here: the types of schemas have no names. */
export const runtimeType = (value: Value): CelType =>
  value instanceof OpaqueValue ? value.type : (types.get(typeNameOf(value)) ?? ERROR)

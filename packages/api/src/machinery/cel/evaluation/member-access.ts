import {
  displayText,
  fail,
  isError,
  ListValue,
  MapValue,
  noSuchOverload,
  OptionalValue,
  UintValue,
  type Value,
} from './value.ts'

/** `value.field`. A field of an optional is optional itself. */
export function selectField(value: Value, field: string): Value {
  if (value instanceof MapValue) return entryOf(value, field)
  if (value instanceof OptionalValue) return optionalField(value, field)
  return noSuchOverload()
}

/** `has(value.field)`. */
export function testField(value: Value, field: string): Value {
  if (value instanceof MapValue) {
    const found = value.find(field)
    return isError(found) ? found : found !== undefined
  }
  if (value instanceof OptionalValue) {
    return value.value === undefined ? false : testField(value.value, field)
  }
  return noSuchOverload()
}

/** `value.?field`. */
export function optionalField(value: Value, field: Value): Value {
  if (value instanceof OptionalValue) {
    return value.value === undefined ? OptionalValue.none : optionalField(value.value, field)
  }
  if (!(value instanceof MapValue)) return noSuchOverload()
  const found = value.find(field)
  if (isError(found)) return found
  return found === undefined ? OptionalValue.none : new OptionalValue(found)
}

/** `value[key]`. */
export function indexValue(value: Value, key: Value): Value {
  if (value instanceof ListValue) {
    const position = positionOf(key)
    if (position === undefined) return fail(`unsupported index type '${displayText(key)}' in list`)
    return position >= 0 && position < value.size
      ? value.at(position)
      : fail(`index out of bounds: ${displayText(key)}`)
  }
  if (value instanceof MapValue) return entryOf(value, key)
  if (value instanceof OptionalValue) return optionalIndex(value, key)
  return noSuchOverload()
}

/** `value[?key]`. */
export function optionalIndex(value: Value, key: Value): Value {
  if (value instanceof OptionalValue) {
    return value.value === undefined ? OptionalValue.none : optionalIndex(value.value, key)
  }
  if (value instanceof MapValue) return optionalField(value, key)
  if (!(value instanceof ListValue)) return noSuchOverload()
  const position = positionOf(key)
  if (position === undefined) return fail(`unsupported index type '${displayText(key)}' in list`)
  return position >= 0 && position < value.size ? new OptionalValue(value.at(position)) : OptionalValue.none
}

/** Null is a value like any other. */
function entryOf(map: MapValue, key: Value): Value {
  const found = map.find(key)
  return found === undefined ? fail(`no such key: ${displayText(key)}`) : found
}

/** A list index. Accepts every number type, if the value is an integer. */
function positionOf(key: Value): number | undefined {
  if (typeof key === 'bigint') return Number(key)
  if (key instanceof UintValue) return Number(key.value)
  return typeof key === 'number' && Number.isInteger(key) ? key : undefined
}

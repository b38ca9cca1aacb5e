import type { Schema } from './schema.ts'

/** The package of the types that all kinds share. */
export const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1'

export const text: Schema = { type: 'string' }
export const integer: Schema = { type: 'integer' }
export const boolean: Schema = { type: 'boolean' }
export const textMap: Schema = { type: 'object', additionalProperties: text }
export const textList: Schema = { type: 'array', items: text }
/** Go's metav1.Time: whole seconds, and null where it was never set. */
export const time: Schema = {
  type: 'string',
  format: 'date-time',
  nullable: true,
  'x-strata-type': {
    name: `${metaPackage}.Time`,
    description: 'A time in RFC 3339, to the second.',
  },
}
/** Go's metav1.MicroTime: exactly six digits behind the point. */
export const microTime: Schema = {
  ...time,
  'x-strata-micro-time': true,
  'x-strata-type': {
    name: `${metaPackage}.MicroTime`,
    description: 'A time in RFC 3339, to the microsecond.',
  },
}

/** Go's resource.Quantity: a text, or a number, which becomes a text when it is read. */
export const quantity: Schema = {
  type: 'string',
  format: 'quantity',
  'x-strata-type': {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    description:
      'A number with an optional suffix: n, u, m, k, M, G, T, P, E for powers of 1000, Ki, Mi, Gi, Ti, Pi, Ei for powers of 1024, or an exponent such as e3. It is written in the shortest exact form.',
  },
}

/** A type that is a Go struct upstream: OpenAPI documents refer to it by this name. */
export function structSchema(
  name: string,
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required?: readonly string[],
): Schema {
  return {
    type: 'object',
    'x-strata-type': { name, description },
    properties,
    ...(required ? { required } : {}),
  }
}

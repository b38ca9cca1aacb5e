import type { ConversionFunction } from '@strata/rehearsal'

interface Widget {
  readonly spec?: { readonly size?: number; readonly length?: number; readonly colour?: string }
}

/** v1 calls the size of a widget its length. */
const widgets: ConversionFunction = (object, apiVersion) => {
  const { size, length, ...spec } = (object as Widget).spec ?? {}
  const value = size ?? length
  const name = apiVersion.endsWith('/v1') ? 'length' : 'size'
  return { ...object, apiVersion, spec: { ...spec, ...(value === undefined ? {} : { [name]: value }) } }
}

export const conversions = { 'widgets.scenes.example.dev': widgets }

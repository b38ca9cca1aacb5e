import { type ApiObject, type CustomResourceDefinition, cloneJson } from '@strata/api'
import type { Clock, Random } from '@strata/world'
import { type Converter, renamingConverter } from '../codec/index.ts'
import { webhookConverter } from '../conversion/index.ts'
import type { WebhookClient } from '../webhooks/index.ts'

/** Converts an object to another version. It may change its argument. */
export type ConversionFunction = (object: ApiObject, apiVersion: string) => ApiObject

export interface ConverterSources {
  readonly webhooks: WebhookClient
  readonly random: Random
  readonly clock: Clock
  /** Conversion functions of programs that embed the server, by the name of the CRD; they take precedence over the CRD. */
  readonly functions: Readonly<Record<string, ConversionFunction>>
}

/** The converter between the versions of a CRD. */
export function converterOf(crd: CustomResourceDefinition, sources: ConverterSources): Converter {
  const { name = '' } = crd.metadata
  const convert = Object.hasOwn(sources.functions, name) ? sources.functions[name] : undefined
  if (convert) return functionConverter(convert)
  const { conversion, names } = crd.spec
  if (conversion?.strategy !== 'Webhook') return renamingConverter
  const ask = webhookConverter({
    client: sources.webhooks,
    random: sources.random,
    clientConfig: conversion.webhook?.clientConfig ?? {},
    conversionReviewVersions: conversion.webhook?.conversionReviewVersions ?? [],
    listKind: names.listKind ?? `${names.kind}List`,
  })
  // The converter's own timeout is the only limit: a call for one request serves others.
  return {
    needsWebhook: true,
    nowMs: () => sources.clock.monotonicMs(),
    convert: (objects, apiVersion) => ask(objects, apiVersion, never),
  }
}

const never = new AbortController().signal

/** Restores the metadata of the object except for labels and annotations, whatever the function returns. */
function functionConverter(convert: ConversionFunction): Converter {
  return {
    needsWebhook: false,
    convert: (objects, apiVersion) =>
      objects.map((object) => {
        const converted = convert(cloneJson(object), apiVersion)
        const { labels, annotations } = converted.metadata
        const metadata = { ...object.metadata }
        if (labels === undefined) delete metadata.labels
        else metadata.labels = labels
        if (annotations === undefined) delete metadata.annotations
        else metadata.annotations = annotations
        return { ...converted, apiVersion, metadata }
      }),
  }
}

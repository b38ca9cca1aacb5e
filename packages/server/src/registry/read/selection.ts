import {
  badRequest,
  type FieldSelector,
  type LabelSelector,
  matchesFields,
  matchesLabels,
  requiredField,
} from '@strata/api'
import { namespacePrefix, objectKey, resourcePrefix } from '../../codec/index.ts'
import type { Key } from '../../store/index.ts'
import type { ServedResource } from '../served/served-api.ts'
import { attributesOf } from './attributes.ts'

/** The objects of a resource that a request selects. */
export interface Selection {
  /** The prefix of the requested list: of a namespace, or of the whole resource. */
  readonly prefix: Key
  /** Every match is below this prefix or, if it does not end in `/`, is this one key. */
  readonly scope: Key
  /** All objects below the prefix match. */
  readonly isEverything: boolean
  /** A change of an object can make it match or stop matching. */
  readonly dependsOnContent: boolean
  /** Whether matching may need a conversion webhook. */
  readonly needsWebhook: boolean
  /** Resolves when `matches` needs no webhook for these values in the request's version. Undefined if it needs none. */
  ready(values: readonly Uint8Array[]): Promise<void> | undefined
  matches(key: Key, value: Uint8Array): boolean
}

export interface Selectors {
  readonly labels: LabelSelector
  readonly fields: FieldSelector
}

export function createSelection(
  resource: ServedResource,
  namespace: string,
  { labels, fields }: Selectors,
): Selection {
  checkFields(resource, fields)
  const { definition, view } = resource
  const prefix = namespacePrefix(definition, namespace)
  const root = resourcePrefix(definition)
  const isOfKey = ({ field }: { readonly field: string }): boolean =>
    field === 'metadata.name' || field === 'metadata.namespace'
  const ofKey = fields.filter(isOfKey)
  const ofContent = fields.filter((each) => !isOfKey(each))

  const matchesKey = (key: Key): boolean => {
    if (ofKey.length === 0 && !view) return true
    const slash = definition.scope === 'Namespaced' ? key.indexOf('/', root.length) : -1
    const name = slash < 0 ? key.slice(root.length) : key.slice(slash + 1)
    if (view?.shows(name) === false) return false
    const ns = slash < 0 ? '' : key.slice(root.length, slash)
    return matchesFields(ofKey, (field) => (field === 'metadata.name' ? name : ns))
  }
  const dependsOnContent = labels.length > 0 || ofContent.length > 0
  return {
    prefix,
    scope: narrowest(resource, namespace, ofKey),
    isEverything: labels.length === 0 && fields.length === 0 && !view,
    dependsOnContent,
    needsWebhook: dependsOnContent && resource.codec.needsWebhook,
    ready: (values) => (dependsOnContent ? resource.codec.ready(values, resource.apiVersion) : undefined),
    matches: (key, value) => {
      if (!matchesKey(key)) return false
      if (!dependsOnContent) return true
      const attributes = attributesOf(resource, value)
      return (
        matchesLabels(labels, attributes.labels) &&
        matchesFields(ofContent, (field) => attributes.fields.get(field) ?? '')
      )
    },
  }
}

/** A selector that names the object or its namespace avoids reading all the others. */
function narrowest({ definition }: ServedResource, namespace: string, fields: FieldSelector): Key {
  const namespaced = definition.scope === 'Namespaced'
  const within = namespace === '' && namespaced ? requiredField(fields, 'metadata.namespace') : undefined
  const found = within || namespace
  const name = requiredField(fields, 'metadata.name')
  return name && (found !== '' || !namespaced)
    ? objectKey(definition, found, name)
    : namespacePrefix(definition, found)
}

/** Upstream has two texts: kinds with selectable fields of their own, also custom ones, have a different one. */
function checkFields({ definition }: ServedResource, fields: FieldSelector): void {
  const { selectableFields = [], typed, scope } = definition
  const isPlain = typed === true && selectableFields.length === 0
  for (const { field } of fields) {
    if (field === 'metadata.name' || selectableFields.includes(field)) continue
    if (field === 'metadata.namespace' && (isPlain || scope === 'Namespaced')) continue
    throw badRequest(
      isPlain
        ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    )
  }
}

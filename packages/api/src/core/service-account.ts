import { ageColumn, nameColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { boolean, identityVersion, objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { type ObjectReference, objectReferenceSchema } from './object-reference.ts'

/** An identity for programs. The server issues and signs its tokens. */
export interface ServiceAccount extends ApiObject {
  secrets?: ObjectReference[]
  imagePullSecrets?: { name?: string }[]
  automountServiceAccountToken?: boolean
}

/** Secrets are in the namespace of the account: other fields of a reference are dropped, because they would mislead. */
function keepNamesOfSecrets(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(keepName)
}

/** Fields of references that only a newer release knows are kept. */
function keepName({ name, ...reference }: ObjectReference): ObjectReference {
  const { kind: _, namespace: __, uid: ___, apiVersion: ____, ...rest } = reference
  const { resourceVersion: _____, fieldPath: ______, ...unknown } = rest
  return { ...(name ? { name } : {}), ...unknown }
}

const localReference: Schema = {
  ...structSchema('LocalObjectReference', 'A reference to an object in the same namespace.', {
    name: { ...text, description: 'The name of the object.' },
  }),
  'x-kubernetes-map-type': 'atomic',
}

const schema: Schema = {
  ...objectSchema({
    secrets: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
      items: objectReferenceSchema,
      description:
        'Deprecated: the secrets that pods of this account may mount. Use the TokenRequest API instead.',
    },
    imagePullSecrets: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      items: localReference,
      description: 'The secrets for pulling images for pods of this account.',
    },
    automountServiceAccountToken: {
      ...boolean,
      nullable: true,
      description: 'Whether pods of this account get a token by default.',
    },
  }),
  description: 'An identity for programs. The server issues and signs its tokens.',
}

export const serviceAccounts = defineResource<ServiceAccount>({
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<ServiceAccount>(schema),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'serviceaccounts',
  // Only name and age, since secrets are no longer created for accounts.
  columns: [nameColumn, ageColumn],
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeletedObject: true,
    prepareForCreate: keepNamesOfSecrets,
    prepareForUpdate: keepNamesOfSecrets,
  },
})

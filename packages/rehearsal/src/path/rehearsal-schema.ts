import { mostInterleavings, mostObjects, mostServers, mostSnapshotObjects } from './form-limits.ts'
import { serverKinds, verdicts } from './rehearsal-form.ts'

const text = (description: string) => ({ type: 'string', minLength: 1, description })
const whole = (minimum: number, maximum: number, description: string) => ({
  ...{ type: 'integer', minimum, maximum, description },
})
const texts = (description: string) => ({
  description,
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
  ],
})
const server = (description: string) => whole(1, mostServers, description)

const manifest = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: {
    apiVersion: text('As in a manifest.'),
    kind: text('As in a manifest.'),
    metadata: { type: 'object', required: ['name'], properties: { name: text('The name.') } },
  },
}

const besides = {
  objects: {
    description:
      'Objects that clients create in this step: how many to make up of each kind, manifests, a file with manifests, or a snapshot of etcd.',
    anyOf: [
      { type: 'integer', minimum: 0, maximum: mostObjects },
      { type: 'array', items: manifest },
      {
        ...{ type: 'object', required: ['file'], additionalProperties: false },
        properties: { file: text('Relative to this file.') },
      },
      {
        ...{ type: 'object', required: ['cluster'], additionalProperties: false },
        properties: {
          cluster: {
            const: true,
            description: 'What the cluster of the kubeconfig has, for the first step.',
          },
          limit: whole(
            1,
            mostSnapshotObjects,
            'How many objects of each kind are taken. The default is 200.',
          ),
        },
      },
      {
        ...{ type: 'object', required: ['snapshot'], additionalProperties: false },
        properties: {
          snapshot: text('A snapshot of etcd, for the first step. Relative to this file.'),
          limit: whole(
            1,
            mostSnapshotObjects,
            'How many objects of each kind are taken. The default is 200.',
          ),
        },
      },
    ],
  },
  expect: { enum: verdicts, description: 'The verdict that is right. The default is safe.' },
}

const all = 'all, or names such as lamps.light.example.dev'
const deeds = {
  release: text('The first step: the release at which everything begins.'),
  upgrade: text('The release to go to. Servers are replaced one after the other; CRDs are applied.'),
  rollback: text('The release to go back to.'),
  migrate: texts(`Rewrites objects in the storage version, as "strata migrate" does: ${all}.`),
  prune: texts(`Cuts status.storedVersions of CRDs down, as "strata prune" does: ${all}.`),
  crash: server('This server ends, as by kill -9.'),
  start: server('This server starts again.'),
  freeze: server('This server stops in the middle of what it does, as by SIGSTOP.'),
  thaw: server('This server goes on.'),
}

const late = {
  description: 'Servers that stay behind: they keep their release, or do not hear of the CRDs.',
  anyOf: [server('One server.'), { type: 'array', items: server('One server.') }],
}

const crdOrPlace = {
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'object', required: ['kind'], properties: { kind: { const: 'CustomResourceDefinition' } } },
  ],
}

/** The schema of a rehearsal file, for editors. `readRehearsal` is what decides. */
export const rehearsalSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A rehearsal: an upgrade path that "strata rehearse" plays',
  type: 'object',
  required: ['steps'],
  additionalProperties: false,
  oneOf: [{ required: ['resources'] }, { required: ['crds'] }],
  properties: {
    server: {
      enum: serverKinds,
      description: 'What the verdicts are about. kube-apiserver has no fence. The default is strata.',
    },
    servers: whole(1, mostServers, 'How many servers the fleet has. The default is 3.'),
    coordination: {
      enum: ['report', 'vote'],
      description: 'How Strata servers agree on a storage version. The default is report.',
    },
    interleavings: whole(
      0,
      mostInterleavings,
      'How many interleavings are searched, at most. The default is 12.',
    ),
    resources: texts('Modules with kinds, made with defineResource. Relative to this file.'),
    crds: {
      type: 'object',
      minProperties: 1,
      description: 'By release: files and folders with CRDs, relative to this file, or CRDs.',
      additionalProperties: {
        anyOf: [crdOrPlace, { type: 'array', minItems: 1, items: crdOrPlace }],
      },
    },
    conversions: text(
      'A module that exports "conversions": a function for each CRD that a webhook converts. Relative to this file.',
    ),
    steps: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: { ...deeds, late, ...besides },
        dependencies: { late: { anyOf: [{ required: ['upgrade'] }, { required: ['rollback'] }] } },
        oneOf: [
          ...Object.keys(deeds).map((deed) => ({ required: [deed] })),
          { required: ['objects'], not: { anyOf: Object.keys(deeds).map((deed) => ({ required: [deed] })) } },
        ],
      },
    },
  },
} as const

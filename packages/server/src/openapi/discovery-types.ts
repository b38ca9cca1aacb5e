import { boolean, type Schema, structSchema, text, textList, typeMetaProperties } from '@strata/api'
import { metaType } from './meta-types.ts'

const listOf = (items: Schema, description: string): Schema => ({
  type: 'array',
  'x-kubernetes-list-type': 'atomic',
  items,
  description,
})
const words = (description: string): Schema => listOf(text, description)

const apiResource = structSchema(
  metaType('APIResource'),
  'A resource, and what can be done with it.',
  {
    name: { ...text, description: 'As in paths: the plural, and for a part of objects plural/part.' },
    singularName: { ...text, description: 'What people may say for one of them.' },
    namespaced: { ...boolean, description: 'Whether its objects are in namespaces.' },
    group: { ...text, description: 'The group of the kind, if not that of the list.' },
    version: { ...text, description: 'The version of the kind, if not that of the list.' },
    kind: { ...text, description: 'The kind of its objects.' },
    verbs: { ...textList, description: 'What can be done with it.' },
    shortNames: words('What else people may say for it.'),
    categories: words('Names for it together with others, such as all.'),
    storageVersionHash: { ...text, description: 'Names the version that objects are stored in.' },
  },
  ['name', 'singularName', 'namespaced', 'kind', 'verbs'],
)

/** Of servers that compare their documents (seed 004), and say so in each of them. */
const compared = {
  consistent: { ...boolean, description: 'Whether all servers are known to serve the same documents now.' },
}

export const apiResourceList = (isCompared = false): Schema =>
  structSchema(
    metaType('APIResourceList'),
    'The resources of one version of a group.',
    {
      ...typeMetaProperties,
      groupVersion: { ...text, description: 'The group and the version.' },
      resources: listOf(apiResource, 'The resources.'),
      ...(isCompared ? compared : {}),
    },
    ['groupVersion', 'resources'],
  )

const groupVersion = structSchema(
  metaType('GroupVersionForDiscovery'),
  'One version of a group.',
  {
    groupVersion: { ...text, description: 'Both, as objects name them: group/version.' },
    version: { ...text, description: 'The version alone.' },
  },
  ['groupVersion', 'version'],
)

const serverAddress = structSchema(
  metaType('ServerAddressByClientCIDR'),
  'Where clients of some network find the server.',
  {
    clientCIDR: { ...text, description: 'The network.' },
    serverAddress: { ...text, description: 'Host or address, with or without a port.' },
  },
  ['clientCIDR', 'serverAddress'],
)
const addresses = listOf(serverAddress, 'Where clients find the server.')

export const apiGroup = (isCompared = false): Schema =>
  structSchema(
    metaType('APIGroup'),
    'A group, and its versions.',
    {
      ...typeMetaProperties,
      name: { ...text, description: 'The name of the group.' },
      versions: listOf(groupVersion, 'Its versions.'),
      preferredVersion: { ...groupVersion, description: 'The one to use if any will do.' },
      serverAddressByClientCIDRs: addresses,
      ...(isCompared ? compared : {}),
    },
    ['name', 'versions'],
  )

export const apiGroupList = (isCompared = false): Schema =>
  structSchema(
    metaType('APIGroupList'),
    'All groups that have a name.',
    {
      ...typeMetaProperties,
      groups: listOf(apiGroup(isCompared), 'The groups.'),
      ...(isCompared ? compared : {}),
    },
    ['groups'],
  )

export const apiVersions = (isCompared = false): Schema =>
  structSchema(
    metaType('APIVersions'),
    'The versions of the group that has no name.',
    {
      ...typeMetaProperties,
      versions: words('The versions.'),
      serverAddressByClientCIDRs: addresses,
      ...(isCompared ? compared : {}),
    },
    ['versions', 'serverAddressByClientCIDRs'],
  )

const versionFields = {
  major: 'The first number of the release.',
  minor: 'The second number of the release.',
  emulationMajor: 'The first number of the release whose API is served.',
  emulationMinor: 'The second number of the release whose API is served.',
  minCompatibilityMajor: 'The first number of the oldest release that can be gone back to.',
  minCompatibilityMinor: 'The second number of the oldest release that can be gone back to.',
  gitVersion: 'The whole name of the release.',
  gitCommit: 'The commit it was built from.',
  gitTreeState: 'Whether anything else was in it: clean or dirty.',
  buildDate: 'When it was built.',
  goVersion: 'The version of Go, if it was made with it.',
  compiler: 'What it was made with.',
  platform: 'What it runs on.',
} as const

export const versionInfoType = structSchema(
  'io.k8s.apimachinery.pkg.version.Info',
  'Which release of the software this is.',
  Object.fromEntries(
    Object.entries(versionFields).map(([name, description]) => [name, { ...text, description }]),
  ),
  [
    'major',
    'minor',
    'gitVersion',
    'gitCommit',
    'gitTreeState',
    'buildDate',
    'goVersion',
    'compiler',
    'platform',
  ],
)

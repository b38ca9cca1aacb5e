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
  'A resource and its verbs.',
  {
    name: { ...text, description: 'The plural name, as in paths; for a subresource, plural/subresource.' },
    singularName: { ...text, description: 'The singular name.' },
    namespaced: { ...boolean, description: 'Whether its objects are in namespaces.' },
    group: { ...text, description: 'The group of the kind, if not that of the list.' },
    version: { ...text, description: 'The version of the kind, if not that of the list.' },
    kind: { ...text, description: 'The kind of its objects.' },
    verbs: { ...textList, description: 'The verbs that the resource supports.' },
    shortNames: words('Short names of the resource.'),
    categories: words('Groups of resources that it belongs to, such as all.'),
    storageVersionHash: { ...text, description: 'Hash of the version that objects are stored in.' },
  },
  ['name', 'singularName', 'namespaced', 'kind', 'verbs'],
)

/** For servers that compare discovery documents (KEP "Coordinated Discovery Documents for HA API Servers") and say so. */
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
    groupVersion: { ...text, description: 'Group and version, as in apiVersion: group/version.' },
    version: { ...text, description: 'The version alone.' },
  },
  ['groupVersion', 'version'],
)

const serverAddress = structSchema(
  metaType('ServerAddressByClientCIDR'),
  'The address of the server for clients of one network.',
  {
    clientCIDR: { ...text, description: 'The network.' },
    serverAddress: { ...text, description: 'Host or address, with or without a port.' },
  },
  ['clientCIDR', 'serverAddress'],
)
const addresses = listOf(serverAddress, 'The addresses of the server, by client network.')

export const apiGroup = (isCompared = false): Schema =>
  structSchema(
    metaType('APIGroup'),
    'A group, and its versions.',
    {
      ...typeMetaProperties,
      name: { ...text, description: 'The name of the group.' },
      versions: listOf(groupVersion, 'Its versions.'),
      preferredVersion: { ...groupVersion, description: 'The version that clients should prefer.' },
      serverAddressByClientCIDRs: addresses,
      ...(isCompared ? compared : {}),
    },
    ['name', 'versions'],
  )

export const apiGroupList = (isCompared = false): Schema =>
  structSchema(
    metaType('APIGroupList'),
    'All API groups except the core group.',
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
    'The versions of the core group.',
    {
      ...typeMetaProperties,
      versions: words('The versions.'),
      serverAddressByClientCIDRs: addresses,
      ...(isCompared ? compared : {}),
    },
    ['versions', 'serverAddressByClientCIDRs'],
  )

const versionFields = {
  major: 'The major version of the release.',
  minor: 'The minor version of the release.',
  emulationMajor: 'The major version of the release whose API is served.',
  emulationMinor: 'The minor version of the release whose API is served.',
  minCompatibilityMajor: 'The major version of the oldest release that a downgrade can go to.',
  minCompatibilityMinor: 'The minor version of the oldest release that a downgrade can go to.',
  gitVersion: 'The full version of the release.',
  gitCommit: 'The commit it was built from.',
  gitTreeState: 'State of the working tree at the build: clean or dirty.',
  buildDate: 'When it was built.',
  goVersion: 'The Go version of the build, if any.',
  compiler: 'The compiler of the build.',
  platform: 'The platform that the server runs on.',
} as const

export const versionInfoType = structSchema(
  'io.k8s.apimachinery.pkg.version.Info',
  'The release of the server.',
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

import type { FuzzTarget } from '../target.ts'
import { apply } from './apply.ts'
import { cel, celRules } from './cel.ts'
import { encryptionConfiguration, kubeconfig } from './configurations.ts'
import { json, yaml } from './documents.ts'
import { etcdFile } from './etcd-file.ts'
import { jsonPatch } from './json-patch.ts'
import { mergePatch } from './merge-patch.ts'
import { protobuf, protobufValues } from './protobuf.ts'
import { remoteDiscovery } from './remote-discovery.ts'
import { remoteSwagger } from './remote-swagger.ts'
import { requests } from './requests.ts'
import { sealedValue } from './sealed-value.ts'
import { fieldSelector, labelSelector } from './selectors.ts'
import { storedValue } from './stored-value.ts'
import { strategicPatch } from './strategic-patch.ts'
import { bearer, continueToken, tokenFile, webToken } from './tokens.ts'

export const targets: readonly FuzzTarget[] = [
  json,
  yaml,
  jsonPatch,
  mergePatch,
  strategicPatch,
  apply,
  cel,
  celRules,
  labelSelector,
  fieldSelector,
  protobuf,
  protobufValues,
  storedValue,
  sealedValue,
  webToken,
  bearer,
  tokenFile,
  continueToken,
  encryptionConfiguration,
  kubeconfig,
  remoteDiscovery,
  remoteSwagger,
  etcdFile,
  requests,
]

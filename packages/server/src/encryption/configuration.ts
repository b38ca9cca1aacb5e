/** A validated EncryptionConfiguration: apiserver.config.k8s.io/v1, as kube-apiserver reads it. */
export interface EncryptionConfiguration {
  /** In the order of the file; `providersOf` finds those of a resource. */
  readonly rules: readonly EncryptionRule[]
}

export interface EncryptionRule {
  /** `secrets`, `gadgets.example.dev`, `*.example.dev`, `*.` for the core group, or `*.*`. */
  readonly resources: readonly string[]
  /** The first one writes, all of them read. */
  readonly providers: readonly ProviderConfiguration[]
}

export type KeyedProvider = 'aescbc' | 'aesgcm' | 'secretbox'

export type ProviderConfiguration =
  | { readonly kind: 'identity' }
  | { readonly kind: KeyedProvider; readonly keys: readonly KeyConfiguration[] }
  | {
      readonly kind: 'kms'
      readonly name: string
      /** The path of the plugin's socket. */
      readonly socket: string
      readonly timeoutMs: number
    }

export interface KeyConfiguration {
  readonly name: string
  readonly secret: Uint8Array
}

/** By the binding's name: the role ('' if it has the same name), and its subjects. */
export type BindingTable = Readonly<Record<string, readonly [role: string, ...subjects: string[]]>>

/** Bindings of cluster roles, for all namespaces. */
export const clusterBindings: BindingTable = {
  'cluster-admin': ['', 'Group system:masters'],
  'system:basic-user': ['', 'Group system:authenticated'],
  'system:discovery': ['', 'Group system:authenticated'],
  'system:kube-controller-manager': ['', 'User system:kube-controller-manager'],
  'system:kube-dns': ['', 'ServiceAccount kube-system/kube-dns'],
  'system:kube-scheduler': ['', 'User system:kube-scheduler'],
  'system:monitoring': ['', 'Group system:monitoring'],
  'system:node': [''],
  'system:node-proxier': ['', 'User system:kube-proxy'],
  'system:public-info-viewer': ['', 'Group system:authenticated', 'Group system:unauthenticated'],
  'system:service-account-issuer-discovery': ['', 'Group system:serviceaccounts'],
  'system:volume-scheduler': ['', 'User system:kube-scheduler'],
}

/** Bindings of roles, by namespace. */
export const namespaceBindings: Readonly<Record<string, BindingTable>> = {
  'kube-public': {
    'system:controller:bootstrap-signer': ['', 'ServiceAccount kube-system/bootstrap-signer'],
  },
  'kube-system': {
    'system::extension-apiserver-authentication-reader': [
      'extension-apiserver-authentication-reader',
      'User system:kube-controller-manager',
      'User system:kube-scheduler',
    ],
    'system::leader-locking-kube-controller-manager': [
      '',
      'User system:kube-controller-manager',
      'ServiceAccount kube-system/kube-controller-manager',
      'ServiceAccount kube-system/leader-election-controller',
    ],
    'system::leader-locking-kube-scheduler': [
      '',
      'User system:kube-scheduler',
      'ServiceAccount kube-system/kube-scheduler',
    ],
    'system:controller:bootstrap-signer': ['', 'ServiceAccount kube-system/bootstrap-signer'],
    'system:controller:cloud-provider': ['', 'ServiceAccount kube-system/cloud-provider'],
    'system:controller:token-cleaner': ['', 'ServiceAccount kube-system/token-cleaner'],
  },
}

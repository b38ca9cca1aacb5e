/** The messages of `rbac.authorization.k8s.io/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const rbacV1 = `
AggregationRule: 1 clusterRoleSelectors [meta.LabelSelector]
ClusterRole: 1 metadata meta.ObjectMeta, 2 rules [PolicyRule], 3 aggregationRule AggregationRule
ClusterRoleBinding: 1 metadata meta.ObjectMeta, 2 subjects [Subject], 3 roleRef RoleRef
PolicyRule: 1 verbs [string], 2 apiGroups [string], 3 resources [string], 4 resourceNames [string],
  5 nonResourceURLs [string]
Role: 1 metadata meta.ObjectMeta, 2 rules [PolicyRule]
RoleBinding: 1 metadata meta.ObjectMeta, 2 subjects [Subject], 3 roleRef RoleRef
RoleRef: 1 apiGroup string!, 2 kind string!, 3 name string!
Subject: 1 kind string!, 2 apiGroup string, 3 name string!, 4 namespace string
`

/** The messages of `admissionregistration.k8s.io/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const admissionregistrationV1 = `
MatchCondition: 1 name string!, 2 expression string!
MutatingWebhook: 1 name string!, 2 clientConfig WebhookClientConfig, 3 rules [RuleWithOperations],
  4 failurePolicy string?, 9 matchPolicy string?, 5 namespaceSelector meta.LabelSelector,
  11 objectSelector meta.LabelSelector, 6 sideEffects string?, 7 timeoutSeconds int32?,
  8 admissionReviewVersions [string], 10 reinvocationPolicy string?, 12 matchConditions [MatchCondition]
MutatingWebhookConfiguration: 1 metadata meta.ObjectMeta, 2 webhooks [MutatingWebhook]
Rule: 1 apiGroups [string], 2 apiVersions [string], 3 resources [string], 4 scope string?
RuleWithOperations: 1 operations [string], 2 ^ Rule
ServiceReference: 1 namespace string!, 2 name string!, 3 path string?, 4 port int32?
ValidatingWebhook: 1 name string!, 2 clientConfig WebhookClientConfig, 3 rules [RuleWithOperations],
  4 failurePolicy string?, 9 matchPolicy string?, 5 namespaceSelector meta.LabelSelector,
  10 objectSelector meta.LabelSelector, 6 sideEffects string?, 7 timeoutSeconds int32?,
  8 admissionReviewVersions [string], 11 matchConditions [MatchCondition]
ValidatingWebhookConfiguration: 1 metadata meta.ObjectMeta, 2 webhooks [ValidatingWebhook]
WebhookClientConfig: 3 url string?, 1 service ServiceReference, 2 caBundle bytes
`

/** The messages of `apiregistration.k8s.io/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const apiregistrationV1 = `
APIService: 1 metadata meta.ObjectMeta, 2 spec APIServiceSpec, 3 status APIServiceStatus
APIServiceCondition: 1 type string!, 2 status string!, 3 lastTransitionTime time, 4 reason string,
  5 message string
APIServiceSpec: 1 service ServiceReference, 2 group string, 3 version string, 4 insecureSkipTLSVerify bool,
  5 caBundle bytes, 7 groupPriorityMinimum int32!, 8 versionPriority int32!
APIServiceStatus: 1 conditions [APIServiceCondition]
ServiceReference: 1 namespace string, 2 name string, 3 port int32?
`

module example.dev/lamps

go 1.26

require (
	k8s.io/apimachinery v0.36.0
	sigs.k8s.io/controller-runtime v0.24.1
)

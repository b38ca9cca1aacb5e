// Package lamps shows envtest with Strata as its existing cluster.
package lamps

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var lamps client.Client

func TestMain(m *testing.M) {
	code, err := runWithCluster(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runWithCluster starts the server, which ends with this process, however that ends.
func runWithCluster(m *testing.M) (int, error) {
	command := "strata"
	if named := os.Getenv("STRATA"); named != "" {
		command = named
	}
	words := append(strings.Fields(command), "testenv")
	server := exec.Command(words[0], words[1:]...)
	server.Stderr = os.Stderr
	output, err := server.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := server.Start(); err != nil {
		return 1, err
	}
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		return 1, fmt.Errorf("%s testenv did not start: %w", command, err)
	}
	var ready struct{ Kubeconfig string }
	if err := json.Unmarshal(line, &ready); err != nil {
		return 1, err
	}
	// Or set both outside, and start `strata testenv` there: then the tests need no change at all.
	os.Setenv("KUBECONFIG", ready.Kubeconfig)
	os.Setenv("USE_EXISTING_CLUSTER", "true")

	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{"../../lamps/crd-v1.yaml"},
		ErrorIfCRDPathMissing: true,
	}
	config, err := environment.Start()
	if err != nil {
		return 1, err
	}
	defer environment.Stop()
	if lamps, err = client.New(config, client.Options{}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

func lamp(name string, brightness int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "light.example.dev/v1",
		"kind":       "Lamp",
		"metadata":   map[string]any{"name": name, "namespace": "default"},
		"spec":       map[string]any{"colour": "red", "brightness": brightness},
	}}
}

func TestALampIsStored(t *testing.T) {
	ctx := context.Background()
	desk := lamp("desk", 80)
	if err := lamps.Create(ctx, desk); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lamps.Delete(ctx, desk) })
	found := lamp("", 0)
	if err := lamps.Get(ctx, client.ObjectKeyFromObject(desk), found); err != nil {
		t.Fatal(err)
	}
	if brightness, _, _ := unstructured.NestedInt64(found.Object, "spec", "brightness"); brightness != 80 {
		t.Fatalf("brightness is %d", brightness)
	}
}

func TestALampCannotBeBrighterThan100(t *testing.T) {
	err := lamps.Create(context.Background(), lamp("bright", 101))
	if !apierrors.IsInvalid(err) {
		t.Fatalf("want a refusal, got %v", err)
	}
}

"""States, indices, proofs and merged maps of the board against Python."""

import functools
import json

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap.maps import experts
from cogmap.maps.dynamics import certificate
from cogmap.maps.dynamics.certificates import _norm_proofs
from cogmap.maps.dynamics.enclosures import enclosing_box
from cogmap.maps.formats import own_json
from cogmap.maps.indices import indices, similarity_matrix
from cogmap.maps.loops import feedback_loops
from cogmap.maps.rewriting import with_clamp, with_rule
from cogmap.maps.scenarios import scenario

CLOSE = 1e-9
CLAMPS = [{"C1": 1.0}, {"C2": 0.25, "C1": 0.0}]
COMPUTE = """([map, clamps]) => {
  const DEGREES = ["indegree", "outdegree", "centrality"];
  const doc = parts.fromMap(map);
  const at = Object.fromEntries(doc.concepts.map(({ name, id }) => [name, id]));
  doc.scenarios = clamps.map((clamp) => ({
    name: "s", desired: { 1: 1, 2: -1 }, shown: {}, about: {},
    clamp: Object.fromEntries(Object.entries(clamp).map(([name, state]) => [at[name], state])),
  }));
  const { model, keep, baseline, results } = parts.runAll(doc);
  const weights = parts.weightsOf(doc);
  const indices = parts.indicesOf(weights, doc.concepts.length);
  const numbers = (array) => Array.from(array);
  const proof = ({ proofs, unique, low, high }) => ({ proofs, unique, low: numbers(low), high: numbers(high) });
  return {
    before: numbers(baseline.mean),
    kind: baseline.kind,
    steps: baseline.steps,
    results: results.map(({ after, change, outcome: { kind, steps } }) => {
      return { after: numbers(after), change: numbers(change), kind, steps };
    }),
    indices: { ...indices, ...Object.fromEntries(DEGREES.map((key) => [key, numbers(indices[key])])) },
    loops: parts.feedbackLoops(weights, doc.concepts.length),
    proof: proof(parts.certificate(model)),
    clamped: keep.length ? [] : doc.scenarios.map((one) => {
      return proof(parts.certificate(parts.withClamp(model, parts.clampOf(doc, one))));
    }),
    sensitivity: parts.sensitivity(doc, doc.scenarios[0]).map(({ edge, effect }) => {
      return [doc.concepts[edge.source - 1].name, doc.concepts[edge.target - 1].name, effect];
    }),
  };
}"""


@pytest.fixture(scope="module")
def script(parts_page):
    """A page with the computations of the board."""
    page = parts_page(
        {
            "board_doc.js": ["fromMap"],
            "board_model.js": ["runAll", "weightsOf", "clampOf", "sensitivity"],
            "board_numbers.js": ["indicesOf", "feedbackLoops"],
            "board_proof.js": ["certificate", "withClamp"],
            "board_experts.js": [
                "matchNames", "combine", "disagreement", "similarityMatrix", "credibility", "clustersOf"
            ],
        }
    )  # fmt: skip
    yield page
    page.close()


def as_json(fcm, **details):
    value = json.loads(own_json.write(fcm))
    return {
        "details": value.get("details", {}) | details,
        "concepts": value["concepts"],
        "edges": value["edges"],
    }


@functools.cache
def maps():
    """Return 40 maps that settle, of many sizes, activations, slopes and rules, each with its rule and drivers kept.

    Trajectories that do not settle are chaotic: rounding decides where they are after 1000 steps.
    """
    random = np.random.default_rng(7)
    made, k = [], 0
    activations = ["sigmoid", "logistic", "tanh", "saturation", "bivalent", "trivalent"]
    while len(made) < 40:
        k += 1
        n = int(random.integers(3, 26 if k % 5 == 0 else 13))
        share = random.uniform(0.1, 0.5)
        weights = np.where(random.random((n, n)) < share, np.round(random.uniform(-1, 1, (n, n)), 2), 0.0)
        if k % 3:
            np.fill_diagonal(weights, 0.0)
        activation = activations[k % 6] if k % 7 else [activations[int(i)] for i in random.integers(0, 4, n)]
        slope = float(random.choice([0.5, 1, 2, 5])) if k % 5 else random.uniform(0.5, 4, n)
        rule = "rescaled" if k % 8 == 5 and activation in ("sigmoid", "logistic") else "kosko" if k % 4 else "modified"
        bias = np.zeros(n) if k % 2 and rule != "rescaled" else random.normal(0, 0.3, n)
        fcm = FuzzyCognitiveMap(weights, bias, slope, activation=activation)
        keep = fcm.drivers if k % 6 == 1 else ()
        results = [scenario(with_rule(fcm, rule), clamp, keep=keep) for clamp in CLAMPS]
        if all(one.outcome.period and one.baseline.period for one in results):
            made.append((fcm, rule, keep))
    return made


@pytest.mark.parametrize("number", range(40))
def test_states_indices_and_proofs_equal_python(script, number):
    """To 1e-9, and proofs equally decided."""
    fcm, rule, keep = maps()[number]
    ruled = with_rule(fcm, rule)
    found = script.evaluate(COMPUTE, [as_json(fcm, rule=rule, keep="drivers" if keep else ""), CLAMPS])
    settled = ruled.settle(keep=keep)
    assert (found["kind"], found["steps"]) == (settled.kind, settled.steps)
    assert np.abs(np.array(found["before"]) - settled.mean).max() <= CLOSE
    for result, clamp in zip(found["results"], CLAMPS, strict=True):
        expected = scenario(ruled, clamp, keep=keep)
        assert (result["kind"], result["steps"]) == (expected.outcome.kind, expected.outcome.steps)
        assert np.abs(np.array(result["after"]) - expected.after).max() <= CLOSE
        assert np.abs(np.array(result["change"]) - expected.change).max() <= CLOSE
    table = indices(fcm)
    for name in ("indegree", "outdegree", "centrality"):
        assert np.abs(np.array(found["indices"][name]) - getattr(table, name)).max() <= CLOSE
    assert found["indices"]["kinds"] == list(table.kinds)
    assert found["indices"]["edges"] == table.n_edges
    for name in ("density", "complexity", "hierarchy"):
        assert found["indices"][name] == pytest.approx(getattr(table, name), abs=CLOSE)
    loops = feedback_loops(fcm)
    assert (found["loops"]["complete"], found["loops"]["completeTo"]) == (loops.complete, loops.complete_to)
    gains = [one["gain"] for one in found["loops"]["loops"]]
    assert np.allclose(gains, [loop.gain for loop in loops.loops], rtol=0, atol=CLOSE)
    same_proof(found["proof"], ruled)
    for proof, clamp in zip(found["clamped"], CLAMPS, strict=False):
        same_proof(proof, with_clamp(ruled, clamp))
    if number % 20 == 0:
        assert found["proof"]["unique"] == bool(certificate(ruled).unique)


def same_proof(found, fcm):
    """Assert that the criteria of `certificate` are equally decided, with the same box."""
    box = enclosing_box(fcm)
    proofs = {proof.name: proof.holds for proof in _norm_proofs(fcm)} | {"box": box.contracts}
    assert found["proofs"] == proofs
    assert found["unique"] == any(proofs.values())
    if box.contracts:  # otherwise rounding grows in a box that hardly shrinks
        assert np.abs(np.array(found["low"]) - box.low).max() <= CLOSE
        assert np.abs(np.array(found["high"]) - box.high).max() <= CLOSE


def test_held_concepts_keep_their_state(script):
    """As in Python: in runs, under the modified rule, and merged if all hold them; arrows into them are refused."""
    fcm = FuzzyCognitiveMap([[0, 0, 0], [0.5, 0, 0.2], [0, -1, 0]], held=["C1"], activation="logistic")
    for rule in ("kosko", "modified", "rescaled"):
        ruled = with_rule(fcm, rule)
        found = script.evaluate(COMPUTE, [as_json(fcm, rule=rule), [{"C2": 0.25}, {"C1": 1.0}]])
        assert np.abs(np.array(found["before"]) - ruled.settle().mean).max() <= CLOSE
        for result, clamp in zip(found["results"], [{"C2": 0.25}, {"C1": 1.0}], strict=True):
            assert np.abs(np.array(result["after"]) - scenario(ruled, clamp).after).max() <= CLOSE
    merged = script.evaluate("(maps) => parts.combine(maps, 'mean', [1, 1])", [as_json(fcm), as_json(fcm)])
    assert [one.get("held", False) for one in merged["concepts"]] == [True, False, False]
    merged = script.evaluate(
        "(maps) => parts.combine(maps, 'mean', [1, 1])", [as_json(fcm), as_json(fcm.replace(held=()))]
    )
    assert not any(one.get("held") for one in merged["concepts"])


def test_sensitivity_is_the_effect_of_removing_an_arrow(script):
    """Computed here by removing each arrow in turn."""
    fcm, rule, _ = maps()[9]
    found = script.evaluate(COMPUTE, [as_json(fcm, rule=rule), [{"C3": 1.0}]])["sensitivity"]
    sign = np.zeros(fcm.n_concepts)
    sign[:2] = 1, -1

    def progress(weights):
        return float(sign @ scenario(with_rule(fcm.replace(weights=weights), rule), {"C3": 1.0}).change)

    whole = progress(fcm.weights)
    assert len(found) == np.count_nonzero(fcm.weights)
    for source, target, effect in found:
        weights = fcm.weights.copy()
        weights[fcm.concepts.index(target), fcm.concepts.index(source)] = 0.0
        assert effect == pytest.approx(whole - progress(weights), abs=CLOSE)
    sizes = [abs(effect) for *_, effect in found]
    assert sizes == sorted(sizes, reverse=True)


def people():
    """Return maps of five people: terms as weights, and some concepts that not all have."""
    random = np.random.default_rng(3)
    terms = [0, 0, 0, 0.1, 0.25, 0.5, 0.75, 1, -0.25, -0.5, -1]
    names = ["rain", "fish", "weed", "men", "boats", "nets"]
    made = []
    for k in range(5):
        own = names[: 4 + k % 3]
        made.append(
            FuzzyCognitiveMap(random.choice(terms, (len(own), len(own))), random.normal(size=len(own)), concepts=own)
        )
    return made


@pytest.mark.parametrize("how", ["mean", "median", "fuzzy"])
@pytest.mark.parametrize("only_drawn", [False, True])
def test_merged_maps_equal_python(script, how, only_drawn):
    """Mean, median and linguistic terms, with weights and with credibility."""
    maps = people()
    for weights in ([1, 2, 0, 1, 3], "credibility"):
        merged = experts.combine(maps, how, weights, only_drawn)
        shares = experts.credibility(maps).tolist() if weights == "credibility" else weights
        found = script.evaluate(
            "([maps, how, shares, only]) => ({ merged: parts.combine(maps, how, shares, only), "
            "credibility: parts.credibility(maps) })",
            [[as_json(fcm) for fcm in maps], how, shares, only_drawn],
        )
        assert np.allclose(found["credibility"], experts.credibility(maps), rtol=0, atol=CLOSE)
        edges = {(edge["source"], edge["target"]): edge["weight"] for edge in found["merged"]["edges"]}
        for (i, j), weight in np.ndenumerate(merged.weights):
            assert edges.get((merged.concepts[j], merged.concepts[i]), 0) == pytest.approx(weight, abs=CLOSE)
        biases = [concept["bias"] for concept in found["merged"]["concepts"]]
        assert np.allclose(biases, merged.bias, rtol=0, atol=CLOSE)


def test_disagreement_similarity_and_clusters_equal_python(script):
    """The same edges in the same order of deviation, the same groups."""
    maps = people()
    maps += [maps[0].replace(weights=maps[0].weights * 0.9), maps[1].replace(weights=-maps[1].weights)]
    found = script.evaluate(
        "(maps) => ({ edges: parts.disagreement(maps), similarity: parts.similarityMatrix(maps), "
        "clusters: parts.clustersOf(parts.similarityMatrix(maps)) })",
        [as_json(fcm) for fcm in maps],
    )
    expected = experts.disagreement(maps).edges()
    assert [edge["deviation"] for edge in found["edges"]] == pytest.approx(
        [e["deviation"] for e in expected], abs=CLOSE
    )
    by_ends = {(edge["source"], edge["target"]): edge for edge in found["edges"]}
    for edge in expected:
        ours = by_ends[edge["source"], edge["target"]]
        assert (ours["drawn"], ours["opposed"]) == (edge["n_drawn"], edge["opposed"])
        assert [ours[key] for key in ("mean", "low", "high")] == pytest.approx(
            [edge[key] for key in ("mean", "low", "high")], abs=CLOSE
        )
    assert np.allclose(found["similarity"], similarity_matrix(maps), rtol=0, atol=CLOSE)
    assert found["clusters"] == experts.clusters(maps).labels.tolist()


LISTS = [
    ["Rainfall", "Fish", "Natural Beauty", "Natural Beauty ", "Practice 1: Logging", "Cities", "Straße"],
    ["rain fall", "Fishes", "natural beuaty", "Regen", "Practice 2: Logging", "city", "STRASSE", "Pollution"],
    ["Précipitations", "polution", "fish-population", "Boxes", "雨量"],
    ["box", "雨量 ", "Pollutions", "Fish population", "bus", "gas"],
]


def test_proposed_names_equal_python(script):
    """Spelling, plural, translation and scripts of other languages."""
    table = {"Regen": "rainfall", "Précipitations": "rainfall"}
    for translations in ({}, table):
        expected = experts.match_names(LISTS, translations)
        found = script.evaluate("([lists, table]) => parts.matchNames(lists, table)", [LISTS, translations])
        assert [(tuple(one["names"]), one["why"]) for one in found] == [tuple(match) for match in expected]
    assert {"Rainfall", "rain fall", "Précipitations"} <= set(expected[0].names)
    assert experts.match_names([["Regen"], ["rain"]], {"Regen": "Rain"}) == [(("Regen", "rain"), "translation")]

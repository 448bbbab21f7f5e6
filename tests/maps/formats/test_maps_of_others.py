"""Real maps by other people, read again here in the plainest way: every arrow has to point where they point it."""

import csv
import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest

from cogmap import read_map, read_maps, write_map
from cogmap.exceptions import DataError

LETTERS = {"H": 1.0, "M": 0.62, "L": 0.25}
WORDS = {"VL": 0.1, "L": 0.25, "M": 0.5, "H": 0.75, "VH": 1.0}


@pytest.fixture(scope="session")
def maps_dir():
    """A folder with maps by other people, beside the repository or named by COGMAP_MAPS."""
    folder = Path(os.environ.get("COGMAP_MAPS") or Path(__file__).parents[4] / "shared" / "maps")
    if not folder.is_dir():
        pytest.skip("the folder with maps by other people is not here (COGMAP_MAPS names it)")
    return folder


def edges(fcm):
    """The edges of a map, as W[target, source] has them."""
    return {
        (source, target): fcm.weights[i, j]
        for j, source in enumerate(fcm.concepts)
        for i, target in enumerate(fcm.concepts)
        if fcm.weights[i, j]
    }


def influence(text):
    if text[-1:] in ("+", "-"):
        return LETTERS[text[0]] * (1 if text[1] == "+" else -1)
    return float(text)


def mental_modeler_xml(path):
    """Edges and places of a Mental Modeler file, by ElementTree."""
    root = ElementTree.fromstring(path.read_bytes())
    concepts = root.find("concepts").findall("concept")
    names = {concept.findtext("id"): concept.findtext("name") for concept in concepts}
    found = {
        (names[concept.findtext("id")], names[one.findtext("id")]): influence(one.findtext("influence"))
        for concept in concepts
        for one in concept.iterfind("relationships/relationship")
    }
    places = {concept.findtext("name"): float(concept.findtext("x")) for concept in concepts}
    return {ends: weight for ends, weight in found.items() if weight}, places


def mental_modeler_json(path):
    concepts = json.loads(path.read_text())["concepts"]
    names = {concept["id"]: concept["name"] for concept in concepts}
    names.update({id_: "Logging" for id_, name in names.items() if not name})  # as relationships call it
    found = {
        (names[concept["id"]], names[one["id"]]): float(one["influence"])
        for concept in concepts
        for one in concept.get("relationships", [])
    }
    places = {names[concept["id"]]: float(concept["x"]) for concept in concepts}
    return {ends: weight for ends, weight in found.items() if weight}, places


@pytest.mark.parametrize("name", ["mm_ozesmi_wetland.mmp", "mm_fire_letters.mmp", "mm_fishery_manager.mmp"])
def test_mental_modeler_xml(maps_dir, name):
    """Arrows, letters, and the author's layout."""
    fcm = read_map(maps_dir / name)
    expected, places = mental_modeler_xml(maps_dir / name)
    assert edges(fcm) == expected
    assert {concept: about["x"] for concept, about in fcm.details["concepts"].items()} == places


@pytest.mark.parametrize("name", ["mm_fire_json.mmp", "mm_simple_json.mmp", "mm_suite_ozesmi.json"])
def test_mental_modeler_json(maps_dir, name):
    """The same as JSON, also with a concept whose name was deleted."""
    fcm = read_map(maps_dir / name)
    expected, places = mental_modeler_json(maps_dir / name)
    assert edges(fcm) == expected
    assert {concept: about["x"] for concept, about in fcm.details["concepts"].items()} == places


def test_the_wetland_is_the_one_of_the_paper(maps_dir):
    """5 concepts, 11 edges, Laws influences all and is influenced by none, Livelihood the other way round."""
    fcm = read_map(maps_dir / "mm_ozesmi_wetland.mmp")
    assert len(edges(fcm)) == 11
    sources, targets = {ends[0] for ends in edges(fcm)}, {ends[1] for ends in edges(fcm)}
    assert set(fcm.concepts) - targets == {"Laws"}
    assert set(fcm.concepts) - sources == {"Livelihood"}
    assert edges(fcm)["Pollution", "Fish population"] == -1.0
    assert fcm.details["edges"] == {"Amount of Wetland": {"Laws": {}}}, "edges of weight 0 are remembered"


def test_groups_notes_and_scenarios_are_kept(maps_dir):
    """What the author of the fire map says comes back from a file of ours."""
    details = read_map(maps_dir / "mm_fire_json.mmp").details
    assert details["author"] == "Mary"
    assert details["groups"]["0"] == "Cool 0 group"
    assert details["concepts"]["Natural Beauty"]["units"] == "some unit value here"
    assert details["concepts"]["Property Damage"]["group"] == "1"
    assert details["edges"]["Natural Beauty"]["Tourism"]["confidence"] == -2
    assert details["scenarios"]


@pytest.mark.parametrize("name", ["noaa_georges_bank_matrix.csv", "kavir_daily_activity.csv"])
def test_matrix_in_csv(maps_dir, name):
    """Rows are sources."""
    header, *rows = csv.reader((maps_dir / name).read_text().splitlines())
    names = [row[0] for row in rows]
    expected = {
        (row[0], target): float(cell)
        for row in rows
        for target, cell in zip(header[1:], row[1:], strict=True)
        if target in names and cell and float(cell)
    }
    fcm = read_map(maps_dir / name)
    assert list(fcm.concepts) == names
    assert edges(fcm) == expected


def test_concepts_that_keep_their_value(maps_dir):
    """The column `external`."""
    about = read_map(maps_dir / "kavir_daily_activity.csv").details["concepts"]
    assert list(about) == ["time_morning", "time_evening", "bad_weather", "traffic_congestion"]
    assert all(found == {"external": True} for found in about.values())


def test_matrix_in_excel(maps_dir):
    """Rows are sources; the corner names the participant."""
    sheet = openpyxl.load_workbook(maps_dir / "aminpour_matrix.xlsx").active
    header = [cell.value for cell in sheet[1]][1:]
    expected = {
        (row[0].value, target): cell.value
        for row in sheet.iter_rows(min_row=2)
        for target, cell in zip(header, row[1:], strict=True)
        if cell.value
    }
    fcm = read_map(maps_dir / "aminpour_matrix.xlsx")
    assert list(fcm.concepts) == header
    assert edges(fcm) == expected
    assert fcm.details["corner"] == "INDIVIDUAL ID# or NAME"


def test_edges_with_numbers_and_names_in_another_file(maps_dir):
    """(from, to, weight), numbered from 1."""
    triples = [
        tuple(map(float, found))
        for found in re.findall(r"\(([^,]+), ([^,]+), ([^)]+)\)", (maps_dir / "osoba_clot_edges.csv").read_text())
    ]
    names = dict(re.findall(r'(\d+):"(\w+)"', (maps_dir / "osoba_clot_names.csv").read_text()))
    bare = read_map(maps_dir / "osoba_clot_edges.csv")
    assert edges(bare) == {(f"{source:g}", f"{target:g}"): weight for source, target, weight in triples}
    assert bare.concepts == tuple(str(number) for number in range(1, 13))
    for concepts in (maps_dir / "osoba_clot_names.csv", list(names.values())):
        fcm = read_map(maps_dir / "osoba_clot_edges.csv", concepts=concepts)
        assert edges(fcm) == {(names[f"{s:g}"], names[f"{t:g}"]): weight for s, t, weight in triples}
        assert list(fcm.concepts) == list(names.values())


def test_words_with_a_direction_and_concepts_in_another_file(maps_dir):
    """FSDM: what each concept affects; the second file has the full names, groups and descriptions."""
    relations = json.loads((maps_dir / "fsdm_ozesmi_relations.json").read_text())
    concepts = json.loads((maps_dir / "fsdm_ozesmi_concepts.json").read_text())
    expected = {
        (item["name"][0], effect["variable"][0]): WORDS[effect["weight"][0]]
        * (1 if effect["direction"][0] == "Positive" else -1)
        for item in relations
        for effect in item["affects"]
    }
    assert edges(read_map(maps_dir / "fsdm_ozesmi_relations.json")) == expected
    names = {item["variable"]: item["name"] for item in concepts}
    fcm = read_map(maps_dir / "fsdm_ozesmi_relations.json", concepts=maps_dir / "fsdm_ozesmi_concepts.json")
    assert edges(fcm) == {(names[source], names[target]): weight for (source, target), weight in expected.items()}
    assert list(fcm.concepts) == [item["name"] for item in concepts]
    assert fcm.details["concepts"]["Law Enforcement"]["group"] == "Actions"


def test_the_scale_of_words_can_be_changed(maps_dir):
    """Every weight follows."""
    scale = {"VL": 0.01, "L": 0.02, "M": 0.03, "H": 0.04, "VH": 0.05}
    fcm = read_map(maps_dir / "fsdm_ozesmi_relations.json", scale=scale)
    assert edges(fcm)["Wetlands", "Fish"] == 0.05
    assert edges(fcm)["Wetlands", "Pollution"] == -0.01


def test_experts_in_sheets(maps_dir):
    """One map per sheet, a mark under one term per row."""
    book = openpyxl.load_workbook(maps_dir / "fcmpy_experts.xlsx")
    maps = read_maps(maps_dir / "fcmpy_experts.xlsx")
    assert list(maps) == book.sheetnames
    for name, fcm in maps.items():
        header, *rows = book[name].iter_rows(values_only=True)
        expected = {}
        for row in rows:
            for term, cell in zip(header[2:], row[2:], strict=True):
                if cell and term != "NA":
                    expected[row[:2]] = WORDS[term[1:]] * (1 if term[0] == "+" else -1)
        assert edges(fcm) == expected
        assert fcm == read_map(maps_dir / "fcmpy_experts.xlsx", sheet=name)
    with pytest.raises(DataError, match=r"has 6 maps: 'Expert_1', .* Choose one with `sheet`"):
        read_map(maps_dir / "fcmpy_experts.xlsx")


def test_experts_in_json(maps_dir):
    """One map per key."""
    maps = read_maps(maps_dir / "fcmpy_experts.json")
    assert edges(maps["Expert_1"]) == {("C1", "C1"): 0.5, ("C1", "C2"): -0.1}
    assert edges(maps["Expert_2"]) == {("C1", "C1"): 0.25, ("C1", "C2"): 0.1}


@pytest.mark.parametrize("name", ["osoba_clot_names.csv", "fsdm_ozesmi_concepts.json"])
def test_names_alone_are_no_map(maps_dir, name):
    """The error says what they can be used for."""
    with pytest.raises(DataError, match="it names concepts and has no edges; pass it as `concepts`"):
        read_map(maps_dir / name)


@pytest.mark.parametrize("ending", ["mmp", "json", "csv", "tsv", "xlsx", "dot", "graphml"])
def test_all_can_be_written_as_any_kind_and_come_back(maps_dir, tmp_path, ending):
    """Exactly; from Mental Modeler to Mental Modeler with all details."""
    n_maps = 0
    for path in sorted(maps_dir.iterdir()):
        if path.suffix == ".md" or path.name in ("osoba_clot_names.csv", "fsdm_ozesmi_concepts.json"):
            continue
        for fcm in read_maps(path).values():
            write_map(fcm, tmp_path / f"map.{ending}")
            back = read_map(tmp_path / f"map.{ending}")
            assert back == fcm
            if ending == "json" or (ending == "mmp" and path.name.startswith("mm_")):
                assert back.details == fcm.details
            n_maps += 1
    assert n_maps >= 19

